//! Result of a simulation.

use crate::{Histogram, Time};

/// The use of one worker's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Running the program, forks and joins included.
    pub busy: Time,
    /// Answering thieves, and standing still for them.
    pub lost: Time,
    /// Waking others.
    pub waking: Time,
    /// Searching for work.
    pub search: Time,
    /// Asleep.
    pub asleep: Time,
}

/// Result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Time from the call to its return.
    pub time: Time,
    /// Use of each worker's time.
    pub workers: Vec<Worker>,
    /// Frames, tasks and continuations that moved to another worker.
    pub steals: u64,
    /// Those that needed no help from the victim.
    pub free_steals: u64,
    /// Failed attempts at a victim. (While no victim has anything, attempts are not counted.)
    pub failed: u64,
    /// Answers of a victim that made frames public.
    pub exposes: u64,
    /// Exposures by force.
    pub forced: u64,
    /// Pops that met the return barrier and got their frame.
    pub barrier_hits: u64,
    /// Time that those cost.
    pub barrier_time: Time,
    /// Sleeping workers that were woken.
    pub wakes: u64,
    /// Waits for a stolen frame or for a scope, in which the worker looked for other work.
    pub waits: u64,
    /// From the moment a thief asked, or began the successful look, to the start of the stolen work.
    pub latency: Histogram,
}

impl Outcome {
    /// Share of the time of all workers that victims lost to thieves: the *dynamic overhead* of Kumar, Blackburn and Grove
    /// (VEE 2014), section 5.3.
    pub fn dynamic_overhead(&self) -> f64 {
        let lost: Time = self.workers.iter().map(|worker| worker.lost).sum();
        lost as f64 / (self.time.max(1) as f64 * self.workers.len().max(1) as f64)
    }

    /// Utilisation of the workers, from 0 to 1.
    pub fn utilisation(&self) -> f64 {
        let busy: Time = self.workers.iter().map(|worker| worker.busy).sum();
        busy as f64 / (self.time.max(1) as f64 * self.workers.len().max(1) as f64)
    }
}
