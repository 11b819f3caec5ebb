//! Checks that each item is dropped exactly once, even when an operation panics or ends early.

use super::{pool, under_all};
use crate::par::{Rope, prelude::*};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// The number of values that are alive, and the number of values that were made.
#[derive(Default)]
pub(super) struct Census {
    alive: AtomicIsize,
    born: AtomicUsize,
}

/// A counted value. This type is neither `Copy` nor `Clone`.
pub(super) struct Counted<'c> {
    census: &'c Census,
    pub(super) value: usize,
}

impl Census {
    pub(super) fn bear(&self, value: usize) -> Counted<'_> {
        self.alive.fetch_add(1, Relaxed);
        self.born.fetch_add(1, Relaxed);
        Counted {
            census: self,
            value,
        }
    }

    pub(super) fn alive(&self) -> isize {
        self.alive.load(Relaxed)
    }

    pub(super) fn assert_extinct(&self) {
        assert_eq!(self.alive.load(Relaxed), 0, "of {:?}", self.born);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let alive = self.census.alive.fetch_sub(1, Relaxed);
        assert!(alive > 0 || std::thread::panicking(), "dropped twice");
    }
}

pub(super) const LEN: usize = if cfg!(miri) { 12 } else { 60 };

/// Runs the closure once for each item at which a step may panic, and once without a panic. Each run counts its own values.
pub(super) fn with_a_panic_at_each(run: impl Fn(&Census, usize)) {
    let _quiet = super::panics::Quiet::new();
    for at in (0..LEN)
        .step_by(if cfg!(miri) { 5 } else { 1 })
        .chain([usize::MAX])
    {
        let census = Census::default();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&census, at)));
        assert_eq!(outcome.is_err(), at < LEN, "a panic at {at}");
        census.assert_extinct();
        assert!(census.born.load(Relaxed) > 0);
    }
}

pub(super) fn stop_at(at: usize, value: usize) {
    if at == value {
        panic!("planted");
    }
}

#[test]
fn of_mapped_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let mapped: Vec<_> = all
            .into_par()
            .splitting(policy)
            .map(|item| {
                stop_at(at, item.value);
                census.bear(item.value + 1)
            })
            .collect();
        assert!(
            mapped
                .iter()
                .enumerate()
                .all(|(i, item)| item.value == i + 1)
        );
    }));
}

#[test]
fn of_filtered_and_partitioned_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let kept: Vec<_> = all
            .into_par()
            .splitting(policy)
            .filter(|item| {
                stop_at(at, item.value);
                item.value % 3 == 0
            })
            .collect();
        let (small, large): (Vec<_>, Vec<_>) = kept
            .into_par()
            .splitting(policy)
            .partition(|item| item.value < LEN / 2);
        assert!(small.iter().all(|item| item.value < LEN / 2));
        assert!(large.iter().all(|item| item.value >= LEN / 2));
    }));
}

#[test]
fn of_reduced_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let most = all.into_par().splitting(policy).reduce_with(|a, b| {
            // The shape of the fold determines which pairs are combined, unless a panic ends the fold early.
            stop_at(at, b.value);
            stop_at(at, a.value);
            if a.value > b.value { a } else { b }
        });
        assert_eq!(most.map(|item| item.value), Some(LEN - 1));
    }));
}

#[test]
fn of_scanned_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all = (0..LEN).par().splitting(policy).map(|i| census.bear(i));
        let prefixes = all.inclusive_scan(|a, b| {
            // The right item of the last pair is the fold of all items but one, or a prefix.
            stop_at(at, b.value.min(LEN - 1));
            stop_at(at, a.value.min(LEN - 1));
            census.bear(a.value.max(b.value))
        });
        assert!(
            prefixes
                .iter()
                .enumerate()
                .all(|(i, prefix)| prefix.value == i)
        );
    }));
}

#[test]
fn of_zipped_and_truncated_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let left: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let right: Vec<_> = (0..2 * LEN).map(|i| census.bear(i)).collect();
        let pairs = left
            .into_par()
            .zip(right.into_par().skip(5))
            .splitting(policy);
        let count = pairs
            .map(|(a, b)| {
                stop_at(at, a.value);
                assert_eq!(a.value + 5, b.value);
            })
            .count();
        assert_eq!(count, LEN);
    }));
}

#[test]
fn of_searched_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let found = all.into_par().splitting(policy).find_first(|item| {
            stop_at(at, item.value);
            item.value == LEN - 1
        });
        assert_eq!(found.map(|item| item.value), Some(LEN - 1));
    }));
}

#[test]
fn of_nested_items() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let many: Vec<_> = all
            .into_par()
            .splitting(policy)
            .flat_map(|item| {
                stop_at(at, item.value);
                (0..item.value % 4)
                    .map(|i| census.bear(i))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(many.len(), (0..LEN).map(|i| i % 4).sum());
    }));
}

#[test]
fn of_a_sequence_that_nobody_asks() {
    let census = Census::default();
    let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
    drop(all.into_par().map(|item| item.value).enumerate());
    census.assert_extinct();
}

const MANY: usize = if cfg!(miri) { 200 } else { 50_000 };

#[test]
fn of_long_ones_under_thieves() {
    for threads in [2, 3, 8] {
        pool(threads).install(|| {
            let census = Census::default();
            let all: Vec<_> = (0..MANY).map(|i| census.bear(i)).collect();
            let kept: Vec<_> = all.into_par().filter(|item| item.value % 2 == 1).collect();
            assert!(
                kept.iter()
                    .enumerate()
                    .all(|(i, item)| item.value == 2 * i + 1)
            );
            assert_eq!(kept.len(), MANY / 2);
            drop(kept);
            census.assert_extinct();
        });
    }
}

/// The chunks of a rope end where its leaves end, and the loop's worker takes several chunks at a time. If the loop ends within a chunk,
/// the worker drops the chunks that it has taken but not visited.
#[test]
fn of_many_chunks_at_a_time() {
    let _quiet = super::panics::Quiet::new();
    let leaves: Rope<usize> = (0..MANY).par().collect_rope(7);
    for threads in [1, 2, 3] {
        pool(threads).install(|| {
            for last in [MANY / 3, MANY - 1] {
                for panics in [false, true] {
                    let census = Census::default();
                    let all: Vec<_> = (0..MANY).map(|i| census.bear(i)).collect();
                    let pairs = all.into_par().zip(leaves.par());
                    let found = catch_unwind(AssertUnwindSafe(|| {
                        pairs.find_first(|(item, _)| {
                            assert!(!panics || item.value < last, "planted");
                            item.value == last
                        })
                    }));
                    let found = found.map(|found| found.map(|(item, _)| item.value));
                    assert_eq!(found.ok().flatten(), (!panics).then_some(last));
                    census.assert_extinct();
                }
            }
        });
    }
}
