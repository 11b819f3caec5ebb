//! Checks each kind of construct in a scope that another thread cancels while the construct runs.

use crate::{Census, fork_for_ever, until};
use heist::par::prelude::*;
use heist::{CancelToken, Cancelled, Pool};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs `work` on pools of several sizes. The closure ends only if it is cancelled. Cancels `work` after it has reported that it
/// has begun.
fn cancels(work: impl Fn(&Census, &AtomicBool) + Sync) {
    for threads in [1, 2, 3, 8] {
        let pool = Pool::new(threads).unwrap();
        for _ in 0..if cfg!(miri) { 1 } else { 8 } {
            let census = Census::default();
            let begun = AtomicBool::new(false);
            let token = CancelToken::new();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    until("the beginning", || begun.load(Ordering::Acquire));
                    assert!(token.cancel_and_wait());
                    assert_eq!(census.alive(), 0);
                    assert!(!token.cancel());
                });
                let result = pool.install(|| token.run(|| work(&census, &begun)));
                assert_eq!(result, Err(Cancelled));
                assert_eq!(census.alive(), 0);
            });
            // The pool still works.
            assert_eq!(pool.install(|| crate::fib(10)), 55);
        }
    }
}

#[test]
fn joins() {
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        fork_for_ever(census, 10);
    });
}

#[test]
fn hints() {
    fn go(census: &Census, depth: u32) {
        let _value = census.counted();
        if depth > 0 {
            heist::join_hint(|| go(census, depth - 1), || go(census, depth - 1));
        }
    }
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        loop {
            go(census, 10);
        }
    });
}

#[test]
fn tasks_of_scopes() {
    fn spawn<'s>(f: &heist::Finish<'s>, census: &'s Census) {
        let value = census.counted();
        f.spawn(move |f| {
            spawn(f, census);
            drop(value);
        });
    }
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        heist::finish(|f| {
            for _ in 0..10 {
                spawn(f, census);
            }
        });
    });
    // The body spawns tasks without end.
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        heist::finish(|f| {
            loop {
                let value = census.counted();
                f.spawn(move |_| drop(value));
            }
        });
    });
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        heist::finish_fifo(|f| spawn(f, census));
    });
}

#[test]
fn loops() {
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        (0..u64::MAX).par().for_each(|_| drop(census.counted()));
    });
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        loop {
            let values: Vec<_> = (0..10_000).par().map(|_| census.counted()).collect();
            assert_eq!(values.len(), 10_000);
        }
    });
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        loop {
            let few = (0..100_000_u32).par().filter(|x| x % 3 == 0);
            let values: Vec<_> = few.map(|_| census.counted()).collect();
            assert_eq!(values.len(), 33_334);
        }
    });
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        (0..).par_bridge().for_each(|_: u64| drop(census.counted()));
    });
}

#[test]
fn sorts() {
    cancels(|census, begun| {
        let mut values: Vec<_> = (0..50_000_u32)
            .map(|i| (i.wrapping_mul(0x9E37_79B9), census.counted()))
            .collect();
        begun.store(true, Ordering::Release);
        loop {
            values.par_sort_by_key(|(key, _)| *key);
            values.par_sort_unstable_by_key(|(key, _)| std::cmp::Reverse(*key));
            values.par_sort_by_cached_key(|(key, _)| key.rotate_left(7));
        }
    });
}

#[test]
fn worklists() {
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        heist::worklist::Worklist::new().for_each(0..10_u64, |item, context| {
            let _value = census.counted();
            context.push(item + 1);
        });
    });
}

#[test]
fn plain_code_that_looks() {
    cancels(|census, begun| {
        let _value = census.counted();
        begun.store(true, Ordering::Release);
        heist::join(
            || loop {
                heist::check_cancelled();
            },
            || {
                while !heist::is_cancelled() {
                    std::hint::spin_loop();
                }
            },
        );
    });
}

#[test]
fn work_in_another_pool() {
    let other = Pool::new(2).unwrap();
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        other.install(|| fork_for_ever(census, 10));
    });
    cancels(|census, begun| {
        begun.store(true, Ordering::Release);
        other.broadcast(|_| fork_for_ever(census, 10));
    });
}

/// The left side of a join cancels the scope. The right side, which the worker then takes back from its own deque, must not begin.
#[test]
fn a_right_side_that_is_taken_back_does_not_begin() {
    let pool = Pool::new(1).unwrap();
    let begun = AtomicUsize::new(0);
    let result = pool.cancellable(|token| {
        heist::join(|| token.cancel(), || begun.fetch_add(1, Ordering::Relaxed));
    });
    assert_eq!(result, Err(Cancelled));
    assert_eq!(begun.into_inner(), 0);
}
