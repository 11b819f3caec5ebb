//! Tests of races: the first result wins, and cancels the other branch.
#![cfg(not(any(miri, heist_model)))]

#[path = "race/by_error.rs"]
mod by_error;
#[path = "race/latency.rs"]
mod latency;
#[path = "race/queens.rs"]
mod queens;
#[path = "race/rules.rs"]
mod rules;
#[path = "race/stress.rs"]
mod stress;

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of counted values that are alive.
#[derive(Debug, Default)]
pub(crate) struct Census(AtomicUsize);

#[derive(Debug)]
pub(crate) struct Counted<'a>(&'a Census);

impl Census {
    pub(crate) fn counted(&self) -> Counted<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self)
    }

    pub(crate) fn alive(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Forks until a cancellation stops the forks.
pub(crate) fn fork_for_ever(census: &Census) -> ! {
    let _value = census.counted();
    loop {
        heist::join(|| drop(census.counted()), || drop(census.counted()));
    }
}
