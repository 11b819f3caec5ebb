//! The iterative fork-join microbenchmark.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Finish;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Instance, Program, Size};
use crate::runner::{FinishKernel, Runner};

pub(super) const PROGRAM: Program = Program {
    name: "forkjoin",
    about: "finish { async T_i for 0 < i < k; T_0 } with tasks of about 110 ns, 65536 tasks in all",
    source: "Sarkar, COMP 322 lecture 11, table 1 (k = 1 to 1024)",
    contenders: &[
        Contender::Serial,
        Contender::Heist,
        Contender::HeistWorkFirst,
        Contender::HeistAdaptive,
        Contender::HeistWorkSharing,
        Contender::Rayon,
        Contender::Chili,
    ],
    prepare,
};

/// The number of tasks in a run. A run repeats a block of tasks, because one block takes less time than the entry into a pool.
const TASKS: usize = 1 << 16;
/// The number of steps of a task's work. Each step depends on the previous step. All steps together take about 110 ns at 3 GHz.
const STEPS: u32 = 85;

/// Does the work of a task. Each step contains a shift. Without the shift, a compiler would fold all steps into one affine map. The
/// function is not inlined, so that all contenders run the same machine code.
#[inline(never)]
fn work(seed: u64) -> u64 {
    (0..STEPS).fold(seed, |x, _| {
        (x ^ (x >> 29))
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1)
    })
}

fn seed(round: usize, task: usize) -> u64 {
    (round as u64) << 32 | task as u64
}

struct Run<'a> {
    rounds: usize,
    slots: &'a [AtomicU64],
}

impl FinishKernel for Run<'_> {
    fn call<C: Finish>(self, ctx: C) {
        for round in 0..self.rounds {
            ctx.finish(self.slots.len(), &|task| {
                let slot = &self.slots[task];
                // Each task of a round has a slot of its own, and rounds follow each other, so no read-modify-write is needed.
                let sum = slot
                    .load(Ordering::Relaxed)
                    .wrapping_add(work(seed(round, task)));
                slot.store(sum, Ordering::Relaxed);
            });
        }
    }
}

struct ForkJoin {
    rounds: usize,
    slots: Vec<AtomicU64>,
    start: Vec<u64>,
    expected: Vec<u64>,
}

impl ForkJoin {
    fn new(k: usize, rounds: usize) -> ForkJoin {
        let start: Vec<u64> = (0..k as u64).map(|i| word(10, i)).collect();
        // Compute task by task instead of round by round, without the slots of a run.
        let all = |task| {
            (0..rounds).fold(start[task], |sum: u64, round| {
                sum.wrapping_add(work(seed(round, task)))
            })
        };
        let expected = (0..k).map(all).collect();
        ForkJoin {
            rounds,
            slots: (0..k).map(|_| AtomicU64::new(0)).collect(),
            start,
            expected,
        }
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let k = within("k", size.pick(1024, 1024), 1..=1 << 20)?;
    Ok(Box::new(ForkJoin::new(k, (TASKS / k).max(1))))
}

/// Makes the program with `rounds` times `k` tasks. This program also runs under [`Contender::Threads`], with a thread for each
/// task.
pub fn fork_join(k: usize, rounds: usize) -> Box<dyn Instance> {
    Box::new(ForkJoin::new(k, rounds))
}

impl Instance for ForkJoin {
    fn params(&self) -> String {
        format!("k={} rounds={}", self.slots.len(), self.rounds)
    }

    fn reset(&mut self) {
        for (slot, start) in self.slots.iter_mut().zip(&self.start) {
            *slot.get_mut() = *start;
        }
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run_finish(
            who,
            Run {
                rounds: self.rounds,
                slots: &self.slots,
            },
        );
    }

    fn check(&mut self) -> Result<(), String> {
        for (task, (slot, must)) in self.slots.iter_mut().zip(&self.expected).enumerate() {
            let is = *slot.get_mut();
            if is != *must {
                return Err(format!(
                    "the results of task {task} sum to {is} instead of {must}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the number of spawned tasks. The parent runs task 0 itself.
    fn forks(&self) -> Option<u64> {
        Some(((self.slots.len() - 1) * self.rounds) as u64).filter(|&spawned| spawned > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_no_shortcut() {
        let mut x = 7u128;
        for _ in 0..STEPS {
            x = ((x ^ (x >> 29)) * 6_364_136_223_846_793_005 + 1) % (1 << 64);
        }
        assert_eq!(u128::from(work(7)), x);
    }

    #[test]
    fn everybody_runs_it() {
        let runner = Runner::new(2).unwrap();
        for k in [1, 2, 50] {
            let mut program = ForkJoin::new(k, 3);
            for &who in Contender::SCOPES {
                program.reset();
                program.run(who, &runner);
                program
                    .check()
                    .unwrap_or_else(|error| panic!("{who:?}: {error}"));
            }
        }
    }

    #[test]
    fn a_missed_or_repeated_task_fails() {
        let runner = Runner::new(1).unwrap();
        let mut program = ForkJoin::new(1024, 64);
        program.reset();
        program.run(Contender::Serial, &runner);
        program.check().unwrap();
        let slot = program.slots[5].get_mut();
        *slot = slot.wrapping_add(work(seed(3, 5)));
        assert!(program.check().unwrap_err().contains("task 5 "));
        program.reset();
        program.run(Contender::Serial, &runner);
        program.run(Contender::Serial, &runner);
        assert!(program.check().is_err());
    }
}
