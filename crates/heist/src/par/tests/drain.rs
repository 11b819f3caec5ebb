//! Checks sequences of items that are taken out of collections.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, under_all};
use crate::par::prelude::*;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn of_vectors_deques_and_strings() {
    for &n in LENGTHS {
        let all = items(n);
        let text: String = all.iter().map(|x| if *x < 0 { 'é' } else { 'a' }).collect();
        for range in [0..0, 0..n, n..n, n / 3..n / 2, 0..n / 2, n / 2..n] {
            let mut theirs = all.clone();
            let must: Vec<i64> = theirs.drain(range.clone()).collect();
            let mut deque: VecDeque<i64> = all.iter().copied().collect();
            deque.rotate_left(n / 2);
            under_all!(|policy| {
                let mut ours = all.clone();
                let taken: Vec<_> = ours
                    .par_drain(range.clone())
                    .splitting(policy)
                    .rev()
                    .collect();
                assert!(taken.iter().rev().eq(&must));
                assert_eq!(ours, theirs);
                // Items that no operation takes are dropped.
                let mut ours = all.clone();
                let first = ours
                    .par_drain(range.clone())
                    .splitting(policy)
                    .find_first(|_| true);
                assert_eq!(first, must.first().copied());
                assert_eq!(ours, theirs);
                drop(ours.par_drain(..ours.len() / 2));
                assert_eq!(ours, theirs[theirs.len() / 2..]);
                let (mut ours, mut theirs) = (deque.clone(), deque.clone());
                let taken: Vec<_> = ours.par_drain(range.clone()).splitting(policy).collect();
                assert_eq!(taken, theirs.drain(range.clone()).collect::<Vec<_>>());
                assert_eq!(ours, theirs);
            });
        }
        let (mut ours, mut theirs) = (text.clone(), text);
        let start = theirs
            .char_indices()
            .nth(n / 2)
            .map_or(theirs.len(), |(at, _)| at);
        let taken: String = ours.par_drain(start..).collect();
        assert_eq!(taken, theirs.drain(start..).collect::<String>());
        assert_eq!(ours, theirs);
    }
}

#[test]
fn of_collections_without_places() {
    let all = items(100);
    under_all!(|policy| {
        let set: BTreeSet<i64> = all.iter().copied().collect();
        let mut hashed: HashSet<i64> = set.iter().copied().collect();
        let taken: BTreeSet<_> = hashed.par_drain().splitting(policy).collect();
        assert!(taken == set && hashed.is_empty());
        let mut map: HashMap<i64, i64> = set.iter().map(|x| (*x, x + 1)).collect();
        let taken: BTreeSet<_> = map
            .par_drain()
            .splitting(policy)
            .map(|(_, x)| x - 1)
            .collect();
        assert!(taken == set && map.is_empty());
        let mut heap: BinaryHeap<i64> = set.iter().copied().collect();
        let taken: BTreeSet<_> = heap.par_drain().splitting(policy).collect();
        assert!(taken == set && heap.is_empty());
    });
}

#[test]
fn ranges_of_all_kinds() {
    let drained = |start: Bound<usize>, end: Bound<usize>| {
        let (mut ours, mut theirs) = (vec![0, 1, 2, 3], vec![0, 1, 2, 3]);
        let ours_taken = catch_unwind(AssertUnwindSafe(|| {
            ours.par_drain((start, end)).collect::<Vec<_>>()
        }));
        let theirs_taken = catch_unwind(AssertUnwindSafe(|| {
            theirs.drain((start, end)).collect::<Vec<_>>()
        }));
        assert_eq!(ours_taken.ok(), theirs_taken.ok());
        assert_eq!(ours, theirs);
    };
    let mut bounds = vec![Bound::Unbounded];
    for at in [0, 1, 2, 4, 5, usize::MAX] {
        bounds.extend([Bound::Included(at), Bound::Excluded(at)]);
    }
    for start in &bounds {
        for end in &bounds {
            drained(*start, *end);
        }
    }
}

#[test]
fn elements_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let bear = |len: usize| -> Vec<_> { (0..len).map(|i| census.bear(i)).collect() };
        let mut all = bear(3 * LEN);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let taken = all.par_drain(LEN..2 * LEN).splitting(policy).map(|item| {
                stop_at(at, item.value - LEN);
                item
            });
            taken.collect::<Vec<_>>()
        }));
        // All items outside of the range are still in the vector, no matter what happened to the items of the range.
        let others = (0..LEN).chain(2 * LEN..3 * LEN);
        assert!(all.iter().map(|item| item.value).eq(others));
        let taken = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        assert!(taken.iter().map(|item| item.value).eq(LEN..2 * LEN));
    }));
}

/// A value that is counted, and panics on request.
struct Bad<'c>(super::drops::Counted<'c>, bool);

impl Drop for Bad<'_> {
    fn drop(&mut self) {
        assert!(
            !self.1 || std::thread::panicking(),
            "planted {}",
            self.0.value
        );
    }
}

#[test]
fn destructors_may_panic() {
    let _quiet = super::panics::Quiet::new();
    for asked in [false, true] {
        let census = Census::default();
        let mut all: Vec<_> = (0..20).map(|i| Bad(census.bear(i), i == 7)).collect();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let drain = all.par_drain(5..15);
            if asked {
                drain.for_each(drop);
            } else {
                drop(drain);
            }
        }));
        assert!(outcome.is_err());
        assert!(all.iter().map(|bad| bad.0.value).eq((0..5).chain(15..20)));
        drop(all);
        census.assert_extinct();
    }
}

#[test]
fn a_forgotten_drain_loses_only_the_items_after_its_range() {
    let mut all: Vec<usize> = (0..20).collect();
    std::mem::forget(all.par_drain(5..15));
    assert_eq!(all, (0..15).collect::<Vec<_>>());
    all.push(7);
    let mut units = vec![(); 20];
    assert_eq!(units.par_drain(5..15).filter(|()| true).count(), 10);
    assert_eq!(units.len(), 10);
}
