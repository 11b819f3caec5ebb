//! Scopes that can be cancelled.

#[path = "cancel/borders.rs"]
mod borders;
#[path = "cancel/by_error.rs"]
mod by_error;
#[path = "cancel/kinds.rs"]
mod kinds;
#[path = "cancel/latency.rs"]
mod latency;
#[path = "cancel/rules.rs"]
mod rules;
#[path = "cancel/stress.rs"]
mod stress;
#[path = "cancel/waits.rs"]
mod waits;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The number of counted values that are alive.
#[derive(Debug, Default)]
pub(crate) struct Census(AtomicUsize);

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

/// Waits until `is_true` returns true.
pub(crate) fn until(what: &str, is_true: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_true() {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "never came: {what}"
        );
        std::thread::yield_now();
    }
}

/// Forks forever. Each leaf has a counted value.
pub(crate) fn fork_for_ever(census: &Census, depth: u32) {
    let _value = census.counted();
    if depth == 0 {
        return;
    }
    loop {
        heist::join(
            || fork_for_ever(census, depth - 1),
            || fork_for_ever(census, depth - 1),
        );
        if depth < 8 {
            return;
        }
    }
}

pub(crate) fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}
