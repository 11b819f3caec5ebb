//! Checks that a learned profile of a loop does not keep thieves from items that become expensive.

use super::pool;
use crate::par::prelude::*;
use std::collections::HashSet;
use std::sync::Mutex;
#[cfg(not(heist_brief))]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Runs a loop whose call site is the same for all callers.
fn each(items: &[u64], run: &(dyn Fn(u64) + Sync)) {
    items.par().for_each(|item| run(*item));
}

#[test]
fn a_loop_that_was_cheap_is_shared_when_it_is_dear() {
    let once = || {
        let many: Vec<u64> = (0..1000).collect();
        for _ in 0..200 {
            each(&many, &|item| {
                std::hint::black_box(item);
            });
        }
        // In the first run the thieves may still be asleep, and in some later runs they may not search.
        let shared = (0..5).filter(|_| {
            let threads = Mutex::new(HashSet::<ThreadId>::new());
            each(&many[..8], &|_| {
                threads.lock().unwrap().insert(thread::current().id());
                thread::sleep(Duration::from_millis(10));
            });
            threads.into_inner().unwrap().len() > 1
        });
        shared.count()
    };
    // On a busy machine the thieves may come late.
    pool(4).install(|| assert!((0..5).any(|_| once() >= 3)));
}

#[test]
fn a_loop_that_calls_itself_is_shared_at_each_level() {
    fn visit(depth: u32) {
        if depth == 0 {
            return thread::sleep(Duration::from_millis(5));
        }
        (0..2).par().for_each(|_| visit(depth - 1));
    }
    pool(4).install(|| {
        let once = || {
            let mut times: Vec<Duration> = (0..9)
                .map(|_| {
                    let began = Instant::now();
                    visit(5);
                    began.elapsed()
                })
                .collect();
            times.sort();
            times[4]
        };
        // The loop takes 160 ms serially, and 40 ms at best. On a busy machine the sleeps themselves may end late.
        let mut medians = Vec::new();
        let is_shared = (0..5).any(|_| {
            let median = once();
            medians.push(median);
            median < Duration::from_millis(110)
        });
        assert!(is_shared, "{medians:?}");
    });
}

#[test]
fn a_loop_of_nothing_may_take_long() {
    pool(1).install(|| {
        // The join answers the requests that thieves made before the pool had work.
        crate::join(|| (), || ());
        // There are enough rounds that some of the loops are measured.
        for _ in 0..200 {
            let slow = || {
                thread::sleep(Duration::from_micros(200));
                0
            };
            let none: &[u32] = &[];
            assert_eq!(none.par().fold_reduce(slow, |a, _| a, |a, _| a), 0);
        }
    });
}

// A loop is short if it takes a few microseconds. Under ThreadSanitizer every loop takes longer.
#[cfg(not(heist_brief))]
#[test]
fn of_two_loops_in_a_row_it_is_learned_whether_both_are_short() {
    if !crate::asymmetric_fence_available() {
        return;
    }
    pool(1).install(|| {
        // The join answers the requests that thieves made before the pool had work.
        crate::join(|| (), || ());
        let made = AtomicUsize::new(0);
        let init = || made.fetch_add(1, Ordering::Relaxed);
        let both = || {
            let both = (0..3).par().chain(7..9);
            both.map_init(init, |_, x| x).collect::<Vec<_>>()
        };
        // If the two loops run in parts, each makes a value. The loops run in parts at first, and when the machine is busy.
        let fewest = (0..50).map(|_| {
            made.store(0, Ordering::Relaxed);
            (0..100).for_each(|_| assert_eq!(both(), [0, 1, 2, 7, 8]));
            made.load(Ordering::Relaxed)
        });
        assert!((100..150).contains(&fewest.min().unwrap()));
    });
}
