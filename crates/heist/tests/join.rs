//! Tests of `join` and `par!`: their results, their panics, and what they promise about waits.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn fib_hint(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join_hint(|| fib_hint(n - 1), || fib_hint(n - 2));
    a + b
}

const SMALL: bool = cfg!(miri);

#[test]
fn fib_on_pools_of_all_sizes() {
    let n = if SMALL { 8 } else { 22 };
    let expected = if SMALL { 21 } else { 17_711 };
    for threads in if SMALL {
        &[1, 3][..]
    } else {
        &[1, 2, 3, 8, 64]
    } {
        let pool = heist::Pool::new(*threads).unwrap();
        for _ in 0..3 {
            assert_eq!(pool.install(|| fib(n)), expected);
            assert_eq!(pool.install(|| fib_hint(n)), expected);
        }
    }
}

#[test]
fn outside_join_uses_the_global_pool() {
    assert_eq!(fib(if SMALL { 6 } else { 15 }), if SMALL { 8 } else { 610 });
    let (inside, _) = heist::join(heist::current_worker_index, || ());
    assert!(inside.is_some());
    assert!(heist::current_worker_index().is_none());
}

#[test]
fn par_takes_2_to_12() {
    use heist::par;
    assert_eq!(par!(1, 2), (1, 2));
    assert_eq!(par!(1, 2, 3), (1, 2, 3));
    assert_eq!(par!(1, 2, 3, 4), (1, 2, 3, 4));
    assert_eq!(par!(1, 2, 3, 4, 5), (1, 2, 3, 4, 5));
    assert_eq!(par!(1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6));
    assert_eq!(par!(1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5, 6, 7));
    assert_eq!(par!(1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3, 4, 5, 6, 7, 8));
    assert_eq!(par!(1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 5, 6, 7, 8, 9));
    assert_eq!(
        par!(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    );
    assert_eq!(
        par!(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    );
    assert_eq!(
        par!(1, "2", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,),
        (1, "2", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
    );
}

#[test]
fn left_may_wait_for_right() {
    // `a` never forks again, so only a forced exposure can get `b` to the other worker.
    let pool = heist::Pool::new(2).unwrap();
    for _ in 0..if SMALL { 2 } else { 200 } {
        let (sender, receiver) = mpsc::channel();
        let (got, ()) = pool.join(
            move || receiver.recv().unwrap(),
            move || sender.send(7).unwrap(),
        );
        assert_eq!(got, 7);
    }
}

#[test]
fn left_may_wait_for_right_after_long_quiet() {
    // The join runs after pauses of several lengths: while a sentinel watches, and after the sentinel has retired.
    let pool = heist::Pool::new(2).unwrap();
    for quiet in [0, 1, 20, 150] {
        for _ in 0..if SMALL { 2 } else { 50 } {
            pool.install(|| heist::join(|| (), || ()));
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        std::thread::sleep(std::time::Duration::from_millis(quiet));
        let (sender, receiver) = mpsc::channel();
        pool.join(
            move || receiver.recv().unwrap(),
            move || sender.send(()).unwrap(),
        );
    }
}

#[test]
fn lock_held_across_join() {
    let tasks = if SMALL { 20 } else { 10_000 };
    for threads in [2, 4] {
        let pool = heist::Pool::new(threads).unwrap();
        let lock = Mutex::new(0_usize);
        pool.finish(|f| {
            for _ in 0..tasks {
                let lock = &lock;
                f.spawn(move |_| {
                    let mut held = lock.lock().unwrap();
                    let (a, b) = heist::join(|| fib(3), || fib(4));
                    *held += (a + b) as usize;
                });
            }
        });
        assert_eq!(lock.into_inner().unwrap(), 5 * tasks);
    }
}

#[test]
fn leftmost_panic_wins() {
    fn message(result: std::thread::Result<()>) -> &'static str {
        *result.unwrap_err().downcast::<&'static str>().unwrap()
    }
    let pool = heist::Pool::new(3).unwrap();
    for _ in 0..if SMALL { 2 } else { 200 } {
        let both = catch_unwind(AssertUnwindSafe(|| {
            pool.join(|| panic!("left"), || panic!("right"));
        }));
        assert_eq!(message(both), "left");
        let right = catch_unwind(AssertUnwindSafe(|| {
            pool.join(|| fib(5), || -> u64 { panic!("right") });
        }));
        assert_eq!(message(right), "right");
    }
    assert_eq!(pool.install(|| fib(10)), 55);
}

#[test]
fn closures_and_results_are_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let pool = heist::Pool::new(2).unwrap();
    for round in 0..if SMALL { 4 } else { 400 } {
        let drops = Arc::new(AtomicUsize::new(0));
        let (left, right) = (Counted(drops.clone()), Counted(drops.clone()));
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                move || {
                    let _left = left;
                    if round % 2 == 0 {
                        // The sleep gives a thief time to take the other side.
                        std::thread::sleep(std::time::Duration::from_micros(round % 50));
                    }
                    assert!(round % 4 >= 2, "planted");
                },
                move || right,
            )
        }));
        drop(result);
        assert_eq!(drops.load(Ordering::Relaxed), 2, "round {round}");
    }
}

#[test]
fn waiting_does_not_deepen_the_stack() {
    // While its left side runs, every join waits for a thief or is stolen from. The work that a waiter runs meanwhile must not
    // accumulate on its stack. The depth of the stack is measured by the lowest address seen.
    static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
    let steals = if SMALL { 5 } else { 20_000 };
    let pool = heist::Pool::builder().threads(2).build().unwrap();
    let before = pool.counters();
    let spread = pool.install(|| {
        let top = address_here();
        LOWEST.store(top, Ordering::Relaxed);
        for _ in 0..steals {
            let (sender, receiver) = mpsc::channel();
            heist::join(
                move || receiver.recv().unwrap(),
                move || {
                    sender.send(()).unwrap();
                    fib(3)
                },
            );
            LOWEST.fetch_min(address_here(), Ordering::Relaxed);
        }
        top.wrapping_sub(LOWEST.load(Ordering::Relaxed))
    });
    assert!((pool.counters() - before).steals >= steals);
    // Under Miri, the addresses do not show the depth of the stack.
    assert!(SMALL || spread < 4096, "{spread} bytes deeper");
}

/// A waiter always steals back descendants of its stolen frame at the same depth of the stack.
#[test]
fn stealing_back_does_not_deepen_the_stack() {
    steal_back(if SMALL { 5 } else { 20_000 });
}

#[test]
#[ignore = "takes seconds in a release build only; .ci/run includes it"]
fn a_million_thefts_do_not_deepen_the_stack() {
    steal_back(1_000_000);
}

/// Lets workers steal `times` times while a worker waits. The waiters themselves do most of the steals. The share of the waiters depends on
/// how soon they stop searching. On a busy machine or under a sanitizer, the waiters stop immediately.
fn steal_back(times: u64) {
    let pool = heist::Pool::new(2).unwrap();
    let before = pool.counters();
    // For each thread, the lowest and the highest address that was seen.
    let seen = Mutex::new(HashMap::new());
    let look = || {
        let here = address_here();
        let mut seen = seen.lock().unwrap();
        let (low, high) = seen
            .entry(std::thread::current().id())
            .or_insert((here, here));
        *low = here.min(*low);
        *high = here.max(*high);
    };
    // A waiter that has found nothing for some time gives its slot away, and then a spare thread steals. So new joins make new
    // waiters, until enough steals have happened.
    pool.install(|| {
        look();
        // On a busy machine, more steals may be necessary before a waiter does one.
        let since = std::time::Instant::now();
        let is_open = |done: heist::Counters| {
            done.steals < times || (done.steal_backs == 0 && since.elapsed().as_secs() < 60)
        };
        while is_open(pool.counters() - before) {
            let begun = AtomicBool::new(false);
            heist::join(
                || wait_for(&begun),
                || {
                    begun.store(true, Ordering::Release);
                    let thief = std::thread::current().id();
                    for _ in 0..if SMALL { 3 } else { 1000 } {
                        let taken = AtomicBool::new(false);
                        heist::join(
                            || wait_for(&taken),
                            || {
                                assert_ne!(std::thread::current().id(), thief);
                                look();
                                taken.store(true, Ordering::Release);
                            },
                        );
                    }
                },
            );
        }
    });
    for (low, high) in seen.into_inner().unwrap().into_values() {
        // Under Miri, the addresses do not show the depth of the stack.
        assert!(
            cfg!(miri) || high - low < 8192,
            "{} bytes deeper",
            high - low
        );
    }
    let done = pool.counters() - before;
    println!("{} of {} thefts by waiters", done.steal_backs, done.steals);
    assert!(done.steal_backs > 0);
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
}

#[inline(never)]
fn address_here() -> usize {
    let here = 0_u8;
    std::hint::black_box(&raw const here).addr()
}
