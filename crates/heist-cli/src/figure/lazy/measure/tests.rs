use std::sync::Mutex;
use std::time::Duration;

use heist_suite::loops::{Entrant, How, loop_programs};
use heist_suite::{Contender, Instance, Program, Size};

use super::super::cells::Kind;
use super::super::{SHAPES, Shape};
use super::*;
use crate::plan::Rounds;

/// A checked result of a program that does nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Checked {
    who: Entrant,
    workers: usize,
    leaf: usize,
    /// The number of times that the result was computed before it was checked.
    times: usize,
}

/// All results that were checked. The list is a static, because a plain function makes the inputs, and a plain function cannot capture a
/// list. Each test ignores the results of all other tests.
static CHECKED: Mutex<Vec<Checked>> = Mutex::new(Vec::new());

struct Idle {
    leaf: usize,
    last: Option<(Entrant, usize)>,
    times: usize,
    /// The contender that returns a wrong result.
    wrong: Option<Entrant>,
    /// The contender that takes a long time. If there is such a contender, the runs of all other contenders also take some time.
    slow: Option<Entrant>,
}

impl Idle {
    fn of(leaf: usize) -> Idle {
        Idle {
            leaf,
            last: None,
            times: 0,
            wrong: None,
            slow: None,
        }
    }
}

impl Instance for Idle {
    fn params(&self) -> String {
        "idle".to_owned()
    }

    fn reset(&mut self) {
        self.last = None;
    }

    fn run(&mut self, _: Contender, _: &Runner) {
        unreachable!("figures run by entrants");
    }

    fn check(&mut self) -> Result<(), String> {
        let Some((who, workers)) = self.last else {
            return Err("nothing has been run".to_owned());
        };
        if Some(who) == self.wrong {
            return Err("2, not 3".to_owned());
        }
        if self.wrong.is_none() && self.slow.is_none() {
            CHECKED.lock().unwrap().push(Checked {
                who,
                workers,
                leaf: self.leaf,
                times: std::mem::take(&mut self.times),
            });
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        None
    }
}

impl Looping for Idle {
    fn run_as(&mut self, who: Entrant, on: &Runner) {
        assert_eq!(
            self.last, None,
            "the last result goes before the clock starts"
        );
        if let Some(slow) = self.slow {
            let millis = if who == slow { 400 } else { 10 };
            std::thread::sleep(Duration::from_millis(millis));
        }
        self.last = Some((who, on.threads()));
        self.times += 1;
    }
}

fn program(prepare: heist_suite::loops::PrepareLoops) -> &'static LoopProgram {
    Box::leak(Box::new(LoopProgram {
        program: Program {
            name: "idle",
            ..loop_program_of_the_suite()
        },
        has_ropes: true,
        prepare,
    }))
}

fn loop_program_of_the_suite() -> Program {
    let Program {
        name,
        about,
        source,
        contenders,
        prepare,
    } = loop_programs()[0].program;
    Program {
        name,
        about,
        source,
        contenders,
        prepare,
    }
}

const ROPES_BY_FOUR: Entrant = Entrant::Ropes(How::Eager(4));

fn plan(kind: Kind, program: &'static LoopProgram, rounds: Rounds) -> Plan {
    let shape: &'static Shape = SHAPES.iter().find(|shape| shape.kind == kind).unwrap();
    Plan {
        shape,
        kind,
        programs: vec![program],
        size: Size::Quick,
        on: On::Ropes,
        workers: vec![1, 2],
        rounds,
        pin: None,
        seed: 7,
    }
}

#[test]
fn every_cell_runs_once_a_round_in_a_new_order() {
    let plan = plan(
        Kind::Leaves,
        program(|_, _, leaf| Ok(Box::new(Idle::of(leaf)))),
        Rounds::Exactly(3),
    );
    let outcomes = measure(&plan).unwrap();
    let outcome = &outcomes[0];
    assert_eq!((outcome.rounds(), &*outcome.params), (3, "idle"));
    assert!(outcome.rows.iter().all(|row| row.seconds.len() == 3));
    let runs = std::mem::take(&mut *CHECKED.lock().unwrap());
    let cells = outcome.rows.len();
    // One round is the warm-up.
    assert_eq!(runs.len(), 4 * cells);
    for round in runs.chunks(cells) {
        for row in &outcome.rows {
            let Cell { who, workers, leaf } = row.cell;
            let count = round
                .iter()
                .filter(|run| (run.who, run.workers, run.leaf) == (who, workers, leaf))
                .count();
            assert_eq!(count, 1, "{:?}", row.cell);
        }
    }
    let order = |round: &[Checked]| -> Vec<_> {
        round
            .iter()
            .map(|run| (run.who, run.workers, run.leaf))
            .collect()
    };
    assert_ne!(order(&runs[..cells]), order(&runs[cells..2 * cells]));
    // Brief runs are repeated. A run that lost its processor for a long time is not brief.
    assert!(runs.iter().all(|run| matches!(run.times, 1 | 2)));
    assert!(runs.iter().filter(|run| run.times == 2).count() > runs.len() / 2);
}

#[test]
fn a_wrong_result_ends_the_measurement() {
    let rounds = Rounds::Within {
        least: 1,
        most: 1,
        budget: Duration::ZERO,
    };
    let program = program(|_, _, leaf| {
        Ok(Box::new(Idle {
            wrong: Some(ROPES_BY_FOUR),
            ..Idle::of(leaf)
        }))
    });
    let Err(Failure::WrongResult(line)) = measure(&plan(Kind::Thresholds, program, rounds)) else {
        panic!("no wrong result");
    };
    for part in [
        "idle",
        "eager with the threshold 4",
        "ropes",
        "workers: 2",
        "2, not 3",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn contenders_far_slower_than_serial_code_run_only_the_first_rounds() {
    let rounds = Rounds::Within {
        least: 1,
        most: 3,
        budget: Duration::from_secs(600),
    };
    let program = program(|_, _, leaf| {
        Ok(Box::new(Idle {
            slow: Some(ROPES_BY_FOUR),
            ..Idle::of(leaf)
        }))
    });
    let once = || {
        let outcomes = measure(&plan(Kind::Thresholds, program, rounds)).unwrap();
        let outcome = &outcomes[0];
        assert_eq!(outcome.rounds(), 3);
        let wrong = outcome.rows.iter().filter(|row| {
            let is_slow = row.cell.who == ROPES_BY_FOUR;
            row.seconds.len() != if is_slow { 1 } else { 3 }
        });
        wrong.map(|row| row.cell).collect::<Vec<_>>()
    };
    // If the machine stops for a moment, the other contenders are also slow.
    let mut wrong = once();
    for _ in 0..4 {
        if wrong.is_empty() {
            break;
        }
        wrong = once();
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
