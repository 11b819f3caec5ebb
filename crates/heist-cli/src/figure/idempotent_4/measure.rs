//! Measurement in paired rounds, as in `heist bench`: in each round every row of a workload runs once, in a freshly
//! shuffled order.

use std::thread;
use std::time::Duration;

use heist_suite::deques::{Account, Calibration, Deque, Logs, Raid, RunError, Solo, Stage};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::{BASE, Workload};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{Spread, paired_ratio};

/// The durations of a task in nanoseconds, for the workloads with thieves (raids).
const TASKS: [u64; 4] = [0, 10, 100, 1_000];
/// The maximum number of threads that steal.
pub(super) const MOST_THIEVES: usize = 3;
/// All tasks of a raid together take at most this number of nanoseconds for each item that `--size` requests. So raids with longer tasks
/// have fewer items.
const TASK_BUDGET: u64 = 20;

/// All parameters of a measurement.
pub(super) struct Plan {
    pub(super) items: usize,
    pub(super) runs: usize,
    pub(super) stage: Stage,
    /// The number of threads that can run at a time.
    pub(super) cpus: usize,
    /// The seed of the generator that shuffles the rounds.
    pub(super) seed: u64,
}

/// The rows of one workload, which were measured in the same rounds.
pub(super) struct Group {
    pub(super) workload: Workload,
    /// The number of operations of a run. An operation is a put with its take, or only a take.
    pub(super) items: usize,
    pub(super) rows: Vec<Row>,
}

/// The runs of one deque.
pub(super) struct Row {
    pub(super) deque: &'static Deque,
    pub(super) thieves: usize,
    /// Whether each thread had a CPU of its own.
    pub(super) pinned: bool,
    /// Whether the run had more threads than CPUs.
    pub(super) crowded: bool,
    /// The nanoseconds per operation, one sample for each round.
    pub(super) nanos: Vec<f64>,
    /// The items that each thread got, one account for each round. The list is empty without thieves.
    pub(super) accounts: Vec<Account>,
}

impl Group {
    /// Returns a group with the rows of `workload`, without samples.
    fn new(plan: &Plan, workload: Workload, deques: &'static [Deque]) -> Group {
        let (items, most_thieves) = match workload {
            Workload::Solo(_) => (plan.items, 0),
            Workload::Raid { task } => {
                let budget = plan.items as u64 * TASK_BUDGET;
                let items = budget.checked_div(task).unwrap_or(u64::MAX).max(1);
                (plan.items.min(items as usize), MOST_THIEVES)
            }
        };
        let runs = |deque: &&Deque| deque.has_thieves() || most_thieves == 0;
        let rows = deques.iter().filter(runs).flat_map(|deque| {
            (0..=most_thieves).map(move |thieves| Row {
                deque,
                thieves,
                pinned: plan.stage.pins(1 + thieves),
                crowded: 1 + thieves > plan.cpus,
                nanos: Vec::with_capacity(plan.runs),
                accounts: Vec::new(),
            })
        });
        Group {
            workload,
            items,
            rows: rows.collect(),
        }
    }

    fn row(&self, name: &str, thieves: usize) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.deque.name == name && row.thieves == thieves)
    }

    /// For each round, divides `row`'s time by the time of the deque `name` with the same number of thieves. Returns the median of these
    /// ratios.
    pub(super) fn relative_to(&self, name: &str, row: &Row) -> Option<f64> {
        paired_ratio(&row.nanos, &self.row(name, row.thieves)?.nanos)
    }

    /// For each round, divides the time of Chase-Lev without thieves by `row`'s time. Returns the median of these ratios.
    pub(super) fn speed_up(&self, row: &Row) -> Option<f64> {
        paired_ratio(&self.row(BASE, 0)?.nanos, &row.nanos)
    }
}

impl Row {
    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.nanos)
    }

    /// Returns the numbers of items of all rounds that were delivered once, twice and so on.
    pub(super) fn multiplicity(&self) -> Vec<u64> {
        let rounds = self
            .accounts
            .iter()
            .map(|account| account.multiplicity.clone());
        rounds.fold(Vec::new(), added)
    }

    /// Returns the numbers of items that the owner and each thief took, over all rounds.
    pub(super) fn taken(&self) -> Vec<u64> {
        let rounds = self.accounts.iter().map(|account| account.taken.clone());
        rounds.fold(vec![0; 1 + self.thieves], added)
    }

    /// Returns the share of the taken items that thieves took, or `None` without thieves.
    pub(super) fn stolen(&self) -> Option<f64> {
        let taken = self.taken();
        let all: u64 = taken.iter().sum();
        (self.thieves > 0 && all > 0).then(|| (all - taken[0]) as f64 / all as f64)
    }

    /// Returns the ratio of the number of repeated deliveries to the number of items that were put.
    pub(super) fn repeated(&self) -> Option<f64> {
        let items: u64 = self.multiplicity().iter().sum();
        let repeats: u64 = self.accounts.iter().map(Account::repeats).sum();
        (self.thieves > 0 && items > 0).then(|| repeats as f64 / items as f64)
    }
}

/// Adds two lists element by element. Zeros extend the shorter list.
pub(super) fn added(mut sum: Vec<u64>, other: Vec<u64>) -> Vec<u64> {
    sum.resize(sum.len().max(other.len()), 0);
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
    sum
}

/// Measures all workloads on a separate thread, because the measurement binds its thread to different CPUs in succession.
pub(super) fn measure(plan: &Plan, deques: &'static [Deque]) -> Result<Vec<Group>, Failure> {
    thread::scope(|scope| {
        let stage = thread::Builder::new()
            .name("owner".to_owned())
            .spawn_scoped(scope, || on_stage(plan, deques))
            .map_err(|error| Failure::Request(format!("cannot start a thread: {error}")))?;
        match stage.join() {
            Ok(groups) => groups,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn on_stage(plan: &Plan, deques: &'static [Deque]) -> Result<Vec<Group>, Failure> {
    plan.stage.enter(0, 1).map_err(|error| {
        Failure::Request(format!(
            "cannot keep the owner to its CPU: {error}; run with --pin=never"
        ))
    })?;
    let calibration = Calibration::measure();
    let mut rng = StdRng::seed_from_u64(plan.seed);
    // The solo workloads come first, because raids may leave this thread on another CPU.
    let solos = Solo::ALL.map(Workload::Solo);
    let workloads = solos
        .into_iter()
        .chain(TASKS.map(|task| Workload::Raid { task }));
    let mut groups: Vec<Group> = workloads
        .map(|workload| Group::new(plan, workload, deques))
        .collect();
    let rounds = plan.runs + 1;
    let progress = Progress::new(groups.iter().map(|group| group.rows.len() * rounds).sum());
    let mut logs = Logs::default();
    for group in &mut groups {
        if interrupt::is_stopping() {
            break;
        }
        progress.preparing(group.workload.name());
        // Each workload has new deques, so that short workloads run on small, warm buffers.
        let mut runs: Vec<(&str, Run<'_>)> = deques
            .iter()
            .filter_map(|deque| Some((deque.name, run_of(plan, group, deque, calibration)?)))
            .collect();
        let mut order: Vec<usize> = (0..group.rows.len()).collect();
        // The first round does not count, because buffers grow and caches are cold in this round.
        for round in interrupt::rounds(rounds) {
            order.shuffle(&mut rng);
            for &index in &order {
                let row = &mut group.rows[index];
                progress.running(group.workload.name(), row.deque.name, 1 + row.thieves);
                let (_, run) = runs
                    .iter_mut()
                    .find(|(name, _)| *name == row.deque.name)
                    .expect("a row is of a deque that runs this workload");
                let (time, account) = run(row.thieves, &mut logs)
                    .map_err(|error| failure(group.workload, row, &error))?;
                if round > 0 {
                    // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
                    let nanos = (time.as_nanos() as f64).max(1.0);
                    row.nanos.push(nanos / group.items as f64);
                    row.accounts.extend(account.filter(|_| row.thieves > 0));
                }
            }
        }
    }
    if interrupt::is_stopping() {
        groups.retain(|group| group.rows.iter().any(|row| !row.nanos.is_empty()));
    }
    Ok(groups)
}

/// A function that runs a deque with a number of thieves. For solo workloads, there are no thieves, and the function returns no account.
type Run<'a> =
    Box<dyn FnMut(usize, &mut Logs) -> Result<(Duration, Option<Account>), RunError> + 'a>;

/// Returns a function that runs the workload of `group` on `deque`, or `None` if the deque does not support the
/// workload.
fn run_of<'a>(
    plan: &'a Plan,
    group: &Group,
    deque: &'static Deque,
    calibration: Calibration,
) -> Option<Run<'a>> {
    let items = group.items;
    match group.workload {
        Workload::Solo(solo) => {
            let mut bench = deque.solo(solo.depth(items));
            Some(Box::new(move |_, _| {
                let time = bench.run(solo, items).map_err(RunError::Wrong)?;
                Ok((time, None))
            }))
        }
        Workload::Raid { task } => {
            let mut bench = deque.raid(items)?;
            let task = calibration.task(task);
            Some(Box::new(move |thieves, logs| {
                let raid = Raid {
                    items,
                    task,
                    thieves,
                    stage: &plan.stage,
                };
                let (time, account) = bench.run(raid, deque.delivery, logs)?;
                Ok((time, Some(account)))
            }))
        }
    }
}

fn failure(workload: Workload, row: &Row, error: &RunError) -> Failure {
    let line = format!(
        "{} with {} thieves on {}: {error}",
        workload.name(),
        row.thieves,
        row.deque.name
    );
    match error {
        RunError::Wrong(_) => Failure::WrongResult(line),
        RunError::Stage(_) => Failure::Request(format!("{line}; run with --pin=never")),
    }
}

#[cfg(test)]
mod tests {
    use heist_suite::deques::deques;

    use super::*;

    fn plan(items: usize) -> Plan {
        Plan {
            items,
            runs: 2,
            stage: Stage::default(),
            cpus: 2,
            seed: 7,
        }
    }

    #[test]
    fn every_row_has_a_sample_a_round_and_is_accounted_for() {
        let groups = measure(&plan(2_000), deques()).unwrap();
        assert_eq!(groups.len(), Solo::ALL.len() + TASKS.len());
        for group in &groups {
            for row in &group.rows {
                assert_eq!(row.nanos.len(), 2);
                assert_eq!(row.accounts.len(), if row.thieves > 0 { 2 } else { 0 });
                assert_eq!(row.crowded, row.thieves > 1);
                if row.thieves > 0 {
                    assert_eq!(
                        row.multiplicity().iter().sum::<u64>(),
                        2 * group.items as u64
                    );
                    assert!(row.stolen().unwrap() <= 1.0);
                } else {
                    assert_eq!((row.stolen(), row.repeated()), (None, None));
                }
                assert!(group.relative_to(BASE, row).unwrap() > 0.0);
            }
            let base = group
                .rows
                .iter()
                .find(|row| row.deque.name == BASE)
                .unwrap();
            assert_eq!(group.relative_to(BASE, base), Some(1.0));
            assert_eq!(group.speed_up(base), Some(1.0));
        }
    }

    #[test]
    fn lists_add_up() {
        assert_eq!(added(vec![1], vec![1, 2]), [2, 2]);
        assert_eq!(added(vec![1, 2], vec![]), [1, 2]);
    }

    #[test]
    fn long_tasks_are_fewer() {
        let items = |task| Group::new(&plan(1_000), Workload::Raid { task }, deques()).items;
        assert_eq!(TASKS.map(items), [1_000, 1_000, 200, 20]);
        assert_eq!(
            Group::new(&plan(1), Workload::Raid { task: 1_000 }, deques()).items,
            1
        );
    }
}
