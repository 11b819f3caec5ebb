//! Measurement of the cost of a fork of fib with and without cancellation, for `cancel-5.6`.

use std::hint::black_box;
use std::time::Instant;

use heist::{CancelToken, Pool};
use heist_suite::{Ctx, Heist, Serial};

use super::programs;
use super::{Language, Plan};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::stats::{median, paired_ratio};

/// The runs in one language with one number of workers. The values are the seconds of each round.
pub(super) struct Row {
    pub(super) language: Language,
    pub(super) workers: usize,
    /// Runs without forks.
    pub(super) serial: Vec<f64>,
    /// Runs with forks, outside of every cancel scope.
    pub(super) without: Vec<f64>,
    /// Runs with forks, inside of a cancel scope.
    pub(super) within: Vec<f64>,
}

impl Row {
    /// For each round, divides the time inside of a cancel scope by the time outside of every cancel scope. Returns the median of these
    /// ratios.
    pub(super) fn time_ratio(&self) -> Option<f64> {
        paired_ratio(&self.within, &self.without)
    }

    /// Returns O_c/O_ws. An overhead is the worker time that forks add to serial code. O_c/O_ws is the ratio of the overhead with
    /// cancellation to the overhead without cancellation. Returns `None` if the overhead cannot be distinguished from noise.
    pub(super) fn overhead_ratio(&self) -> Option<f64> {
        let serial = median(&self.serial)?;
        let workers = self.workers as f64;
        let without = workers * median(&self.without)? - serial;
        let within = workers * median(&self.within)? - serial;
        (without > 0.2 * serial).then_some(within / without)
    }
}

/// Computes fib by the naive function, with calls or with forks, depending on the context.
fn naive<C: Ctx>(ctx: C, n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = ctx.join(move |c| naive(c, n - 1), move |c| naive(c, n - 2));
    a + b
}

/// Computes fib with a loop, to check results.
fn fib(n: u64) -> u64 {
    let step = |(a, b), _| (b, a + b);
    (0..n).fold((0, 1), step).0
}

/// Returns the seconds of a run on a worker of the pool.
fn timed(pool: &Pool, n: u64, run: impl Fn(u64) -> u64 + Sync) -> Result<f64, Failure> {
    let (value, seconds) = pool.install(|| {
        let begun = Instant::now();
        let value = run(black_box(n));
        // The clock may show 0 for a short run, but a time of 0 would make ratios infinite.
        (value, begun.elapsed().as_secs_f64().max(1e-9))
    });
    if value == fib(n) {
        Ok(seconds)
    } else {
        Err(Failure::WrongResult(format!("fib({n}) = {value}")))
    }
}

fn in_rust(plan: &Plan, pool: &Pool) -> Result<Row, Failure> {
    let mut row = Row {
        language: Language::Rust,
        workers: pool.threads(),
        serial: Vec::new(),
        without: Vec::new(),
        within: Vec::new(),
    };
    for round in 0..=plan.runs {
        let mut seconds = [0.0; 3];
        // Each of the three ways comes first in some rounds.
        for step in 0..3 {
            let which = (round + step) % 3;
            seconds[which] = match which {
                0 => timed(pool, plan.n, |n| naive(Serial, n))?,
                1 => timed(pool, plan.n, |n| naive(Heist, n))?,
                _ => {
                    let within = |n| CancelToken::new().run(|| naive(Heist, n)).unwrap_or(0);
                    timed(pool, plan.n, within)?
                }
            };
        }
        // The first round warms up.
        if round > 0 {
            row.serial.push(seconds[0]);
            row.without.push(seconds[1]);
            row.within.push(seconds[2]);
        }
    }
    Ok(row)
}

/// Measures both languages, or only Rust in a build without the compiler of Parallel ML.
pub(super) fn measure(plan: &Plan, pools: &[Pool]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let progress = Progress::new(2 * pools.len());
    for pool in pools {
        progress.running("fib", Language::Rust.name(), pool.threads());
        rows.push(in_rust(plan, pool)?);
    }
    if plan.languages().contains(&Language::Pml) {
        let serial = programs::fib(plan, None)?;
        for &workers in &plan.workers {
            progress.running("fib", Language::Pml.name(), workers);
            let pairs = programs::fib(plan, Some(workers))?;
            let column = |at: usize| pairs.iter().map(|line| line[at]).collect();
            rows.push(Row {
                language: Language::Pml,
                workers,
                serial: serial.iter().map(|line| line[0]).collect(),
                without: column(0),
                within: column(1),
            });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(workers: usize, serial: f64, without: f64, within: f64) -> Row {
        Row {
            language: Language::Rust,
            workers,
            serial: vec![serial; 3],
            without: vec![without, without, 2.0 * without],
            within: vec![within, within, 2.0 * within],
        }
    }

    #[test]
    fn ratios_of_times_and_of_fork_overheads() {
        let one = row(1, 1.0, 3.0, 6.0);
        assert_eq!(one.time_ratio(), Some(2.0));
        assert_eq!(one.overhead_ratio(), Some(2.5));
        // Two workers that take 2 s each have spent 4 s, of which 3 are overhead.
        assert_eq!(row(2, 1.0, 2.0, 3.5).overhead_ratio(), Some(2.0));
        // If forks add no time, the ratio of the overheads is undefined.
        assert_eq!(row(1, 1.0, 1.0, 1.1).overhead_ratio(), None);
    }

    #[test]
    fn both_functions_are_right() {
        let pool = Pool::new(2).unwrap();
        for n in 0..15 {
            let forked = pool.install(|| naive(Heist, n));
            assert_eq!([naive(Serial, n), forked], [fib(n); 2], "{n}");
        }
        assert_eq!(fib(10), 55);
    }
}
