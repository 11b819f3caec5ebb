//! Measurement of one algorithm on one input in paired rounds: in each round every deque runs once with every
//! number of threads, in a freshly shuffled order.

use std::time::Instant;

use heist::Pool;
use heist_suite::graphs::{Algo, Entrant, Found, Input, Outcome};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{Spread, paired_ratio};

/// The measurement to make.
pub(crate) struct Plan {
    pub(crate) runs: usize,
    pub(crate) threads: Vec<usize>,
    pub(crate) entrants: Vec<&'static Entrant>,
    pub(crate) seed: u64,
}

/// The runs of one deque with one number of threads.
pub(crate) struct Row {
    pub(crate) entrant: &'static Entrant,
    pub(crate) threads: usize,
    /// The seconds of each round.
    pub(crate) seconds: Vec<f64>,
    /// The number of calls of the algorithm's closure, over all rounds.
    pub(crate) processed: u64,
    /// The number of calls of the closure with an item that the deque had already delivered.
    pub(crate) repeated: u64,
    /// The number of calls of the closure that are necessary for the result, if this number is known.
    pub(crate) needed: Option<u64>,
    /// The number of calls of the closure with stolen items.
    pub(crate) stolen: u64,
    /// A summary of the result in words and numbers.
    pub(crate) summary: String,
}

impl Row {
    pub(crate) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.seconds)
    }

    /// Returns the share of repeated deliveries among all deliveries.
    pub(crate) fn repeated_share(&self) -> f64 {
        self.repeated as f64 / self.processed.max(1) as f64
    }

    /// Returns the ratio of unnecessary calls to necessary calls.
    pub(crate) fn redundant_share(&self) -> Option<f64> {
        let needed = self.needed?.max(1) as f64;
        Some((self.processed as f64 - needed) / needed)
    }

    /// Returns the speed-up over `base`, as the median over the rounds.
    pub(crate) fn speed_up_over(&self, base: &Row) -> Option<f64> {
        paired_ratio(&base.seconds, &self.seconds)
    }
}

/// Returns the number of threads that can run at a time.
pub(crate) fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Starts a pool of each size. Each worker has its own CPU if the machine has enough CPUs.
pub(crate) fn pools(threads: &[usize]) -> Result<Vec<Pool>, Failure> {
    let start = |&threads: &usize| {
        let pool = Pool::builder()
            .threads(threads)
            .pin(threads <= cpus())
            .build();
        pool.map_err(|error| {
            Failure::Request(format!(
                "cannot start a pool of {threads} threads: {error}; lower --threads"
            ))
        })
    };
    threads.iter().map(start).collect()
}

/// Runs all rounds, and one uncounted warm-up round. Every result is checked outside of the measured time.
pub(crate) fn measure(
    plan: &Plan,
    pools: &[Pool],
    algo: Algo,
    input: &Input,
    roots: &[u32],
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &entrant in &plan.entrants {
        for &threads in &plan.threads {
            rows.push(Row {
                entrant,
                threads,
                seconds: Vec::new(),
                processed: 0,
                repeated: 0,
                needed: Some(0),
                stolen: 0,
                summary: String::new(),
            });
        }
    }
    let mut rng = StdRng::seed_from_u64(plan.seed);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let progress = Progress::new(rows.len() * (plan.runs + 1));
    for round in interrupt::rounds(plan.runs + 1) {
        order.shuffle(&mut rng);
        for &index in &order {
            let row = &mut rows[index];
            progress.running(algo.name(), row.entrant.name, row.threads);
            let pool = &pools[index % plan.threads.len()];
            let start = Instant::now();
            let outcome = row.entrant.solve(pool, algo, input, roots);
            let seconds = start.elapsed().as_secs_f64().max(1e-9);
            let outcome = outcome.map_err(Failure::Request)?;
            outcome.check(input).map_err(|error| {
                Failure::WrongResult(format!(
                    "{algo} with {} on {} threads: {error}",
                    row.entrant.name, row.threads
                ))
            })?;
            if round == 0 {
                row.summary = outcome.summary();
                continue;
            }
            row.seconds.push(seconds);
            row.processed += outcome.report.processed;
            row.repeated += outcome.report.repeated;
            row.stolen += outcome.report.stolen;
            row.needed = row
                .needed
                .zip(needed(&outcome))
                .map(|(sum, needed)| sum + needed);
        }
    }
    Ok(rows)
}

/// Returns the number of items that must be processed for the result, or `None` if the number depends on the order.
fn needed(outcome: &Outcome) -> Option<u64> {
    match &outcome.found {
        Found::Reached(marks) => Some(marks.iter().filter(|&&mark| mark).count() as u64),
        Found::Parents(parents) => Some(parents.len() as u64),
        _ => None,
    }
}
