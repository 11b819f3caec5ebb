use std::sync::Mutex;
use std::time::Duration;

use heist_suite::loops::{Entrant, How, loop_programs};
use heist_suite::{Contender, Instance, Program, Size};

use super::super::cells::Kind;
use super::super::{SHAPES, Shape};
use super::*;
use crate::plan::Rounds;

/// Every run so far of a program that does nothing: who, workers, leaf. One list for each test, as inputs are made by plain functions.
static RUNS: Mutex<Vec<(Entrant, usize, usize)>> = Mutex::new(Vec::new());

struct Idle {
    leaf: usize,
    last: Option<Entrant>,
    /// Who gets it wrong.
    wrong: Option<Entrant>,
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
        match self.last {
            None => Err("nothing has been run".to_owned()),
            who if who == self.wrong => Err("2, not 3".to_owned()),
            Some(_) => Ok(()),
        }
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
        self.last = Some(who);
        if self.wrong.is_none() {
            RUNS.lock().unwrap().push((who, on.threads(), self.leaf));
        }
    }
}

fn program(wrong: bool) -> &'static LoopProgram {
    let prepare: heist_suite::loops::PrepareLoops = if wrong {
        |_, _, leaf| {
            Ok(Box::new(Idle {
                leaf,
                last: None,
                wrong: Some(Entrant::Ropes(How::Eager(4))),
            }))
        }
    } else {
        |_, _, leaf| {
            Ok(Box::new(Idle {
                leaf,
                last: None,
                wrong: None,
            }))
        }
    };
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
    let plan = plan(Kind::Leaves, program(false), Rounds::Exactly(3));
    let outcomes = measure(&plan).unwrap();
    let outcome = &outcomes[0];
    assert_eq!((outcome.rounds(), &*outcome.params), (3, "idle"));
    assert!(outcome.rows.iter().all(|row| row.seconds.len() == 3));
    let runs = std::mem::take(&mut *RUNS.lock().unwrap());
    let cells = outcome.rows.len();
    // One round warms up.
    assert_eq!(runs.len(), 4 * cells);
    for round in runs.chunks(cells) {
        for row in &outcome.rows {
            let Cell { who, workers, leaf } = row.cell;
            let count = round
                .iter()
                .filter(|run| **run == (who, workers, leaf))
                .count();
            assert_eq!(count, 1, "{:?}", row.cell);
        }
    }
    assert_ne!(runs[..cells], runs[cells..2 * cells]);
}

#[test]
fn a_wrong_result_ends_the_measurement() {
    let rounds = Rounds::Within {
        least: 1,
        most: 1,
        budget: Duration::ZERO,
    };
    let Err(Failure::WrongResult(line)) = measure(&plan(Kind::Thresholds, program(true), rounds))
    else {
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
