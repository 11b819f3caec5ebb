//! Measurement in paired rounds: in each round every contender runs once at each thread count, in a freshly shuffled order. So a
//! ratio within a round compares runs under the same conditions of the machine.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use heist_suite::{Contender, Data, Instance, Program, Runner};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::busy;
use crate::contender;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::progress::Progress;

/// The pause before a run, during which the threads of the previous run go to sleep. Among all contenders, rayon's threads search longest
/// before they sleep: for about a tenth of this pause.
pub(crate) const SETTLE: Duration = Duration::from_millis(1);

/// The result of one program.
pub(crate) struct Outcome {
    pub(crate) program: &'static Program,
    /// The input, as the program describes it.
    pub(crate) params: String,
    /// The number of forks in one run, if the program computes it.
    pub(crate) forks: Option<u64>,
    pub(crate) rows: Vec<Row>,
}

/// The runs of one contender at one thread count.
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) threads: usize,
    /// The samples of the runs, one for each round. Samples at the same index in all rows are from the same round.
    pub(crate) samples: Vec<Sample>,
    /// The times for which thieves waited for an answer, over all counted rounds, or `None` if the pool does not measure
    /// these times.
    pub(crate) latency: Option<heist::Latencies>,
}

/// The results of the complete rounds, which are shown if Ctrl-C ends the measurement.
#[derive(Clone, Default)]
pub(crate) struct SoFar(Arc<Mutex<Vec<Outcome>>>);

impl SoFar {
    /// Returns the results of all complete rounds. While the returned guard exists, no round is added.
    pub(crate) fn look(&self) -> MutexGuard<'_, Vec<Outcome>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of one run.
pub(crate) struct Sample {
    pub(crate) time: Duration,
    /// Whether the system gave CPUs to other programs during this run.
    pub(crate) preempted: bool,
    /// The counts of Heist's pool during the run, or `None` for rivals.
    pub(crate) tally: Option<Tally>,
}

/// The increase of Heist's counters in one run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Tally {
    pub(crate) steals: u64,
    pub(crate) free_steals: u64,
    pub(crate) exposes: u64,
    pub(crate) forced_exposes: u64,
    pub(crate) failed_steals: u64,
    pub(crate) parks: u64,
    pub(crate) wakes: u64,
    pub(crate) handovers: u64,
    pub(crate) requests: u64,
    pub(crate) direct_requests: u64,
    pub(crate) barrier_hits: u64,
    /// The time in nanoseconds for which thieves stopped workers, or workers made frames public for thieves. The field is `None` if the
    /// pool does not measure this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waking_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) barrier_ns: Option<u64>,
}

impl Tally {
    fn of(spent: heist::Counters, timed: bool) -> Tally {
        let nanos = |ticks: u64| {
            timed.then(|| (ticks as f64 / heist::ticks_per_second() * 1e9).round() as u64)
        };
        Tally {
            steals: spent.steals,
            free_steals: spent.free_steals,
            exposes: spent.exposes,
            forced_exposes: spent.forced_exposes,
            failed_steals: spent.failed_steals,
            parks: spent.parks,
            wakes: spent.wakes,
            handovers: spent.handovers,
            requests: spent.requests,
            direct_requests: spent.direct_requests,
            barrier_hits: spent.barrier_hits,
            lost_ns: nanos(spent.lost_ticks),
            waking_ns: nanos(spent.waking_ticks),
            barrier_ns: nanos(spent.barrier_ticks),
        }
    }
}

impl Row {
    /// Returns the number of runs that were preempted.
    pub(crate) fn preempted(&self) -> usize {
        let preempted = self.samples.iter().filter(|sample| sample.preempted);
        preempted.count()
    }

    /// Returns the times in seconds, by round.
    pub(crate) fn seconds(&self) -> Vec<f64> {
        // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
        self.samples
            .iter()
            .map(|sample| sample.time.as_secs_f64().max(1e-9))
            .collect()
    }
}

pub(crate) fn start(threads: usize, pin: Option<&[usize]>) -> Result<Runner, Failure> {
    match pin {
        Some(cpus) => Runner::pinned(&cpus[..threads]),
        None => Runner::new(threads),
    }
    .map_err(|error| {
        Failure::Request(format!(
            "cannot start pools of {threads} threads: {error}; lower --threads"
        ))
    })
}

/// Measures all programs of the plan.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Outcome>, Failure> {
    let so_far = SoFar::default();
    measure_into(plan, &so_far)?;
    Ok(std::mem::take(&mut *so_far.look()))
}

/// Measures all programs of the plan, and stores the results in `so_far` after each round.
pub(crate) fn measure_into(plan: &Plan, so_far: &SoFar) -> Result<(), Failure> {
    let runners = plan
        .threads
        .iter()
        .map(|&threads| start(threads, plan.pin.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;
    let data = Data::locate();
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let runs_per_round: Vec<usize> = plan
        .programs
        .iter()
        .map(|program| cells(plan, program).len())
        .collect();
    let rounds = plan.rounds.most() + 1;
    let progress = Progress::new(runs_per_round.iter().sum::<usize>() * rounds);
    for (program, runs) in plan.programs.iter().zip(runs_per_round) {
        progress.preparing(program.name);
        let mut instance = (program.prepare)(plan.size, &data).map_err(|error| {
            Failure::Request(format!(
                "{}: cannot prepare the input: {error}",
                program.name
            ))
        })?;
        measure_one(
            plan,
            program,
            &mut *instance,
            &runners,
            &mut rng,
            &progress,
            so_far,
        )?;
        // A plan with a time budget may have stopped early.
        progress.skip_to_program_end(runs * rounds);
    }
    Ok(())
}

/// Returns the contenders that run a program, each with the index of its runner. Serial code appears once, because it does not depend on
/// the number of threads.
fn cells(plan: &Plan, program: &Program) -> Vec<(Contender, usize)> {
    let mut cells = Vec::new();
    for &who in plan
        .contenders
        .iter()
        .filter(|who| program.contenders.contains(who))
    {
        let counts = if who == Contender::Serial {
            1
        } else {
            plan.threads.len()
        };
        cells.extend((0..counts).map(|at| (who, at)));
    }
    cells
}

fn measure_one(
    plan: &Plan,
    program: &'static Program,
    instance: &mut dyn Instance,
    runners: &[Runner],
    rng: &mut StdRng,
    progress: &Progress,
    so_far: &SoFar,
) -> Result<(), Failure> {
    let cells = cells(plan, program);
    let rows: Vec<Row> = cells
        .iter()
        .map(|&(contender, at)| Row {
            contender,
            threads: if contender == Contender::Serial {
                1
            } else {
                runners[at].threads()
            },
            samples: Vec::with_capacity(plan.rounds.most()),
            latency: None,
        })
        .collect();
    so_far.look().push(Outcome {
        program,
        params: instance.params(),
        forks: instance.forks(),
        rows,
    });
    let mut order: Vec<usize> = (0..cells.len()).collect();
    let mut round = |counts: bool| -> Result<(), Failure> {
        order.shuffle(rng);
        let mut samples: Vec<Option<Sample>> = cells.iter().map(|_| None).collect();
        for &cell in &order {
            let (who, at) = cells[cell];
            progress.running(program.name, contender::name(who), runners[at].threads());
            samples[cell] = Some(run_once(program, instance, who, &runners[at])?);
        }
        if let Some(outcome) = so_far.look().last_mut().filter(|_| counts) {
            // Some programs determine their parameters and the number of forks during a run.
            outcome.params = instance.params();
            outcome.forks = instance.forks();
            for (row, sample) in outcome.rows.iter_mut().zip(samples) {
                row.samples.extend(sample);
            }
        }
        Ok(())
    };
    // The first round is the warm-up, with page faults, lazily started pools and cold caches.
    round(false)?;
    let latencies = || -> Result<Vec<Option<heist::Latencies>>, Failure> {
        let pools = cells.iter().map(|&(who, at)| timed_pool(who, &runners[at]));
        pools
            .map(|pool| Ok(pool?.map(|pool| pool.steal_latency())))
            .collect()
    };
    let earlier = latencies()?;
    let start = Instant::now();
    let mut done = 0;
    while plan.rounds.more(done, start.elapsed()) {
        round(true)?;
        done += 1;
    }
    let later = latencies()?;
    if let Some(outcome) = so_far.look().last_mut() {
        for ((row, now), then) in outcome.rows.iter_mut().zip(later).zip(&earlier) {
            row.latency = now.zip(then.as_ref()).map(|(now, then)| now.since(then));
        }
    }
    Ok(())
}

/// Returns a pool that measures the time of steals, if a contender needs one.
fn timed_pool(who: Contender, runner: &Runner) -> Result<Option<Arc<heist::Pool>>, Failure> {
    let Contender::Under(protocol) = who else {
        return Ok(None);
    };
    let pool = runner.under(protocol).map_err(|error| {
        Failure::Request(format!(
            "cannot start pools of {} threads: {error}; lower --threads",
            runner.threads()
        ))
    })?;
    Ok(Some(pool))
}

fn run_once(
    program: &Program,
    instance: &mut dyn Instance,
    who: Contender,
    runner: &Runner,
) -> Result<Sample, Failure> {
    // This call may start the pool of the contender.
    let timed = timed_pool(who, runner)?;
    instance.reset();
    thread::sleep(SETTLE);
    let pool = timed.as_deref().or_else(|| runner.heist_of(who));
    let before = pool.map(|pool| pool.counters());
    let preemptions = busy::preemptions();
    let start = Instant::now();
    instance.run(who, runner);
    let time = start.elapsed();
    let preempted = busy::is_many(busy::preemptions() - preemptions, time);
    let tally = pool
        .zip(before)
        .map(|(pool, before)| Tally::of(pool.counters() - before, timed.is_some()));
    instance.check().map_err(|wrong| {
        Failure::WrongResult(format!(
            "{} ({}) on {} (threads: {}) computed a wrong result: {wrong}",
            program.name,
            instance.params(),
            contender::name(who),
            runner.threads(),
        ))
    })?;
    Ok(Sample {
        time,
        preempted,
        tally,
    })
}

#[cfg(test)]
mod tests {
    use heist_suite::Size;

    use super::*;
    use crate::plan::Rounds;

    /// A program that adds to a sum. A contender for which `trusted` returns false gets a wrong sum.
    struct Sums {
        sum: u64,
        runs: u64,
        trusted: fn(Contender) -> bool,
    }

    impl Instance for Sums {
        fn params(&self) -> String {
            "n=10".to_owned()
        }
        fn reset(&mut self) {
            self.sum = 0;
        }
        fn run(&mut self, who: Contender, _: &Runner) {
            self.runs += 1;
            // The run adds to the previous sum, so a missing reset leads to a wrong result.
            self.sum += if (self.trusted)(who) { 55 } else { 54 };
        }
        fn check(&mut self) -> Result<(), String> {
            if self.sum == 55 {
                Ok(())
            } else {
                Err(format!("the sum is {}, not 55", self.sum))
            }
        }
        fn forks(&self) -> Option<u64> {
            Some(self.runs)
        }
    }

    static HONEST: Program = Program {
        name: "sums",
        about: "adds",
        source: "here",
        contenders: &[Contender::Serial, Contender::Heist, Contender::Rayon],
        prepare: |_, _| {
            Ok(Box::new(Sums {
                sum: 0,
                runs: 0,
                trusted: |_| true,
            }))
        },
    };
    static CHEAT: Program = Program {
        name: "cheat",
        about: "adds wrongly on rayon",
        source: "here",
        contenders: &[Contender::Serial, Contender::Heist, Contender::Rayon],
        prepare: |_, _| {
            Ok(Box::new(Sums {
                sum: 0,
                runs: 0,
                trusted: |who| who != Contender::Rayon,
            }))
        },
    };
    static EMPTY_HANDED: Program = Program {
        name: "empty-handed",
        about: "lacks its input",
        source: "here",
        contenders: &[Contender::Serial],
        prepare: |_, _| Err("words.txt is missing".to_owned()),
    };

    fn plan(program: &'static Program) -> Plan {
        Plan {
            programs: vec![program],
            size: Size::Quick,
            threads: vec![1, 2],
            contenders: Contender::all().collect(),
            rounds: Rounds::Exactly(3),
            pin: None,
            seed: 7,
        }
    }

    #[test]
    fn every_round_runs_every_cell_once_and_the_warm_up_does_not_count() {
        let outcomes = measure(&plan(&HONEST)).unwrap();
        let rows: Vec<_> = outcomes[0]
            .rows
            .iter()
            .map(|row| (row.contender, row.threads, row.samples.len()))
            .collect();
        assert_eq!(
            rows,
            [
                (Contender::Serial, 1, 3),
                (Contender::Heist, 1, 3),
                (Contender::Heist, 2, 3),
                (Contender::Rayon, 1, 3),
                (Contender::Rayon, 2, 3),
            ]
        );
        // There are five cells, three counted rounds and the warm-up.
        assert_eq!(outcomes[0].forks, Some(20));
        for row in &outcomes[0].rows {
            let tallied = row.samples.iter().all(|sample| sample.tally.is_some());
            assert_eq!(tallied, contender::is_heist(row.contender));
        }
    }

    #[test]
    fn a_wrong_result_names_program_contender_and_fault() {
        let Err(Failure::WrongResult(line)) = measure(&plan(&CHEAT)) else {
            panic!("the cheat went unseen")
        };
        for part in ["cheat", "rayon", "the sum is 54, not 55"] {
            assert!(line.contains(part), "{line}");
        }
    }

    #[test]
    fn missing_input_is_a_request_that_cannot_be_carried_out() {
        let Err(Failure::Request(line)) = measure(&plan(&EMPTY_HANDED)) else {
            panic!("prepared from nothing")
        };
        assert!(
            line.contains("empty-handed") && line.contains("words.txt"),
            "{line}"
        );
    }
}
