//! Measurement in paired rounds: in each round, every contender runs once for every number of tasks k, in a freshly shuffled order.

use std::thread;
use std::time::{Duration, Instant};

use heist_suite::{Contender, Instance, Runner, fork_join};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::{CONTENDERS, NAME};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{Spread, paired_ratio};

/// The pause before a run, during which the threads of the previous run go to sleep.
const SETTLE: Duration = Duration::from_millis(1);

/// The number of tasks in a run. All tasks of a run together are about 2 ms of work.
const TASKS: usize = 1 << 14;
/// The number of threads in a run of the contender that starts a thread for each task. This number is smaller than [`TASKS`], because a
/// thread takes 100 times as long as a task.
const THREADS: usize = 1 << 8;

/// All parameters of a measurement.
pub(super) struct Plan {
    pub(super) runs: usize,
    /// The greatest number of tasks in a scope. The measurement uses all powers of 2 up to this number.
    pub(super) most: usize,
    /// The seed of the generator that shuffles the rounds.
    pub(super) seed: u64,
}

/// The runs with `k` tasks in a scope.
pub(super) struct Group {
    pub(super) k: usize,
    pub(super) rows: Vec<Row>,
}

/// The runs of one contender.
pub(super) struct Row {
    pub(super) who: Contender,
    pub(super) name: &'static str,
    /// The time of one scope, one value for each round.
    pub(super) seconds: Vec<f64>,
}

impl Row {
    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.seconds)
    }
}

impl Group {
    /// For each round, divides the row's time by the sequential time. Returns the median of these ratios.
    pub(super) fn over_sequential(&self, row: &Row) -> Option<f64> {
        let base = self.rows.iter().find(|row| row.who == Contender::Serial)?;
        paired_ratio(&row.seconds, &base.seconds)
    }
}

struct Cell {
    group: usize,
    row: usize,
    scopes: usize,
    instance: Box<dyn Instance>,
}

/// Runs all rounds, after one uncounted warm-up round. Every result is checked outside of the measured time.
pub(super) fn measure(plan: &Plan, runner: &Runner) -> Result<Vec<Group>, Failure> {
    let mut groups = Vec::new();
    let mut cells = Vec::new();
    let powers = std::iter::successors(Some(1_usize), |k| Some(2 * k));
    for (group, k) in powers.take_while(|&k| k <= plan.most).enumerate() {
        let row = |(who, name)| Row {
            who,
            name,
            seconds: Vec::new(),
        };
        groups.push(Group {
            k,
            rows: CONTENDERS.map(row).into(),
        });
        for (row, (who, _)) in CONTENDERS.iter().enumerate() {
            let tasks = if *who == Contender::Threads {
                THREADS
            } else {
                TASKS
            };
            let scopes = (tasks / k).max(1);
            cells.push(Cell {
                group,
                row,
                scopes,
                instance: fork_join(k, scopes),
            });
        }
    }
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let rounds = plan.runs + 1;
    let progress = Progress::new(cells.len() * rounds);
    for round in interrupt::rounds(rounds) {
        cells.shuffle(&mut rng);
        for cell in &mut cells {
            let row = &mut groups[cell.group].rows[cell.row];
            progress.running(NAME, row.name, 1);
            let seconds = run_once(&mut *cell.instance, row, runner)?;
            if round > 0 {
                row.seconds.push(seconds / cell.scopes as f64);
            }
        }
    }
    progress.skip_to_program_end(cells.len() * rounds);
    Ok(groups)
}

fn run_once(instance: &mut dyn Instance, row: &Row, runner: &Runner) -> Result<f64, Failure> {
    instance.reset();
    thread::sleep(SETTLE);
    let start = Instant::now();
    instance.run(row.who, runner);
    // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    instance.check().map_err(|wrong| {
        Failure::WrongResult(format!(
            "forkjoin ({}) by {} computed a wrong result: {wrong}",
            instance.params(),
            row.name
        ))
    })?;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_sample_a_round() {
        let plan = Plan {
            runs: 2,
            most: 5,
            seed: 7,
        };
        let groups = measure(&plan, &Runner::new(1).unwrap()).unwrap();
        let ks: Vec<usize> = groups.iter().map(|group| group.k).collect();
        assert_eq!(ks, [1, 2, 4]);
        for group in &groups {
            assert!(group.rows.iter().all(|row| row.seconds.len() == 2));
            assert_eq!(group.over_sequential(&group.rows[0]), Some(1.0));
            // Starting a thread takes longer than a task of only a hundred steps.
            let threads = group.over_sequential(&group.rows[5]);
            assert!(group.k == 1 || threads > Some(1.0), "{threads:?}");
        }
    }
}
