//! The result of a simulation.

use crate::{Histogram, Time};

/// The time that one worker spent on each activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Time that the worker spent on the program, including forks and joins.
    pub busy: Time,
    /// Time in which the worker answered thieves, or was stopped by thieves.
    pub lost: Time,
    /// Time that the worker spent on waking other workers.
    pub waking: Time,
    /// Time in which the worker searched for work.
    pub search: Time,
    /// Time in which the worker slept.
    pub asleep: Time,
}

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The time from the call of the pool to its return.
    pub time: Time,
    /// The time that each worker spent on each activity.
    pub workers: Vec<Worker>,
    /// The number of frames, tasks and continuations that moved to another worker.
    pub steals: u64,
    /// The number of steals that needed no help from the victim.
    pub free_steals: u64,
    /// The number of failed attempts at a victim, except attempts while no victim had work.
    pub failed: u64,
    /// The number of answers of victims that made frames public.
    pub exposes: u64,
    /// The number of exposures by force.
    pub forced: u64,
    /// The number of pops that reached the return barrier but found that no thief had taken the frame.
    pub barrier_hits: u64,
    /// The total time of the pops that `barrier_hits` counts.
    pub barrier_time: Time,
    /// The number of wake-ups of sleeping workers.
    pub wakes: u64,
    /// The number of waits for a stolen frame or for a scope during which the worker looked for other work.
    pub waits: u64,
    /// The times from a thief's request, or from the beginning of its successful look, to the start of the stolen
    /// work.
    pub latency: Histogram,
}

impl Outcome {
    /// Returns the share of the time of all workers that victims lost to thieves: the
    /// *dynamic overhead* of Kumar, Blackburn and Grove (VEE 2014), sections 4.2 and 6.1.
    pub fn dynamic_overhead(&self) -> f64 {
        let lost: Time = self.workers.iter().map(|worker| worker.lost).sum();
        lost as f64 / (self.time.max(1) as f64 * self.workers.len().max(1) as f64)
    }

    /// Returns the utilisation of the workers, from 0 to 1.
    pub fn utilisation(&self) -> f64 {
        let busy: Time = self.workers.iter().map(|worker| worker.busy).sum();
        busy as f64 / (self.time.max(1) as f64 * self.workers.len().max(1) as f64)
    }
}
