//! Checks that items of zero size are dropped once each, like all other items.

use super::pool;
use super::ways::{WAYS, forced, under_every_schedule};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A type of zero size whose values are counted.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Nothing;

static BORN: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);
/// The number of calls of a user's function before the call that panics.
static LEFT: AtomicUsize = AtomicUsize::new(0);

impl Nothing {
    fn new() -> Self {
        BORN.fetch_add(1, Relaxed);
        Nothing
    }
}

impl Drop for Nothing {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

impl Clone for Nothing {
    fn clone(&self) -> Self {
        call();
        Nothing::new()
    }
}

/// Records a call of a user's function. Returns the number of calls that were left before the call that panics.
fn call() -> usize {
    let left = LEFT.fetch_sub(1, Relaxed);
    if left == 0 {
        resume_unwind(Box::new("planted"));
    }
    left
}

fn some(n: usize) -> Vec<Nothing> {
    (0..n).map(|_| Nothing::new()).collect()
}

/// An operation on the given number of items. Returns true if the operation has processed as many items as the same operation on an
/// iterator.
type Act = fn(usize, Forced<'_>) -> bool;

const ACTS: &[(&str, Act)] = &[
    ("collect", |n, by| {
        let all: Vec<Nothing> = some(n).into_par().splitting(by).collect();
        all.len() == n
    }),
    ("map", |n, by| {
        let map = |_| {
            call();
            Nothing::new()
        };
        let all: Vec<Nothing> = some(n).into_par().splitting(by).map(map).collect();
        all.len() == n
    }),
    ("cloned", |n, by| {
        let all = some(n);
        all.par().splitting(by).cloned().collect::<Vec<_>>().len() == n
    }),
    ("filter", |n, by| {
        let kept = some(n).into_par().splitting(by).filter(|_| call() > 0);
        kept.collect::<Vec<_>>().len() == n
    }),
    ("flat_map", |n, by| {
        let map = |_| {
            call();
            some(2)
        };
        let all: Vec<Nothing> = some(n).into_par().splitting(by).flat_map(map).collect();
        all.len() == 2 * n
    }),
    ("flat_map_iter", |n, by| {
        let map = |_| {
            call();
            some(3)
        };
        let all = some(n).into_par().splitting(by).flat_map_iter(map);
        all.collect::<VecDeque<_>>().len() == 3 * n
    }),
    ("zip", |n, by| {
        let pairs = some(n).into_par().splitting(by).zip(some(n + 2));
        let pairs = pairs.map(|pair| (call(), pair).1);
        pairs.collect::<Vec<_>>().len() == n
    }),
    ("chain", |n, by| {
        let both = some(n).into_par().splitting(by).chain(some(2));
        both.inspect(|_| _ = call()).rev().collect::<Vec<_>>().len() == n + 2
    }),
    ("skip_and_step_by", |n, by| {
        let all = some(n + 5).into_par().splitting(by).skip(3).step_by(2);
        all.inspect(|_| _ = call()).collect::<Vec<_>>().len() == (n + 2).div_ceil(2)
    }),
    ("partition", |n, by| {
        let all = some(n).into_par().splitting(by);
        let (are, others): (Vec<_>, Vec<_>) = all.partition(|_| call() % 2 == 0);
        are.len() + others.len() == n
    }),
    ("group_by", |n, by| {
        let groups = some(n).into_par().splitting(by).group_by(|_| call() % 3);
        groups.values().map(Vec::len).sum::<usize>() == n
    }),
    ("unzip", |n, by| {
        let pairs = some(n).into_par().splitting(by).map(|x| {
            call();
            (x, Nothing::new())
        });
        let (left, right): (Vec<_>, VecDeque<_>) = pairs.unzip();
        (left.len(), right.len()) == (n, n)
    }),
    ("scan", |n, by| {
        let all = some(n).into_par().splitting(by).inclusive_scan(|_, _| {
            call();
            Nothing::new()
        });
        all.len() == n
    }),
    ("exclusive_scan", |n, by| {
        let op = |_: &Nothing, _: &Nothing| {
            call();
            Nothing::new()
        };
        let all = some(n)
            .into_par()
            .splitting(by)
            .exclusive_scan(Nothing::new(), op);
        all.0.len() == n
    }),
    ("reduce_with", |n, by| {
        let one = some(n).into_par().splitting(by).reduce_with(|a, _| {
            call();
            a
        });
        one.is_some() == (n > 0)
    }),
    ("collect_rope", |n, by| {
        let all = some(n).into_par().splitting(by).filter(|_| call() > 0);
        let rope = all.collect_rope(2);
        let again = rope.par().splitting(by).cloned().collect_rope(3);
        rope.len() == n && again.into_iter().count() == n
    }),
    ("par_sort", |n, _| {
        let (mut stable, mut unstable) = (some(n), some(n));
        stable.par_sort_by(|a, b| (call(), a.cmp(b)).1);
        unstable.par_sort_unstable_by(|a, b| (call(), a.cmp(b)).1);
        (stable.len(), unstable.len()) == (n, n)
    }),
    ("find_first", |n, by| {
        let found = some(n)
            .into_par()
            .splitting(by)
            .find_first(|_| call() % 4 == 0);
        drop(found);
        true
    }),
    ("write_to", |n, by| {
        let mut all = some(n);
        let new = some(n).into_par().splitting(by).inspect(|_| _ = call());
        new.write_to(&mut all);
        all.len() == n
    }),
];

/// Runs the operation so that its call with number `calls` panics. Returns true if a call has panicked.
fn survive(name: &str, calls: usize, n: usize, by: Forced<'_>, act: Act) -> bool {
    BORN.store(0, Relaxed);
    DROPPED.store(0, Relaxed);
    LEFT.store(calls, Relaxed);
    let outcome = catch_unwind(AssertUnwindSafe(|| act(n, by)));
    let (born, dropped) = (BORN.load(Relaxed), DROPPED.load(Relaxed));
    assert_eq!(born, dropped, "{name}: {n} items, {calls} calls");
    assert!(
        outcome.as_ref().map_or(true, |all| *all),
        "{name}: {n} items"
    );
    outcome.is_err()
}

// This is a single test, because the counts are those of all threads.
#[test]
fn is_dropped_once() {
    assert_eq!(size_of::<Nothing>(), 0);
    // A single worker of a new pool runs the whole test, so that workers of another test cannot affect the counts.
    pool(1).install(|| {
        for n in 0..=if cfg!(miri) { 2 } else { 3 } {
            for (name, act) in ACTS {
                for calls in 0.. {
                    let mut any = false;
                    under_every_schedule(name, n, &mut |by| {
                        any |= survive(name, calls, n, by, *act)
                    });
                    if !any {
                        break;
                    }
                }
            }
        }
        for n in [8, 40] {
            for (name, act) in ACTS {
                for calls in (0..3 * n).step_by(7).chain([1 << 40]) {
                    for way in 0..WAYS {
                        survive(name, calls, n, forced(way), *act);
                    }
                }
            }
        }
    });
}
