//! Checks scopes of fibers, and handles that fibers join.

use super::{pool_of, pools};
use heist::sync::{Barrier, promise};
use heist::{Fibers, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A sum to which tasks add.
#[derive(Default)]
struct Sum(AtomicU32);

impl Sum {
    fn add(&self, n: u32) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn waits_inside_joins_hold_the_thread() {
    for pool in pools(&[2]) {
        let (p, f) = promise::<u32>();
        let tasks: Vec<_> = (0..20)
            .map(|i| {
                let f = f.clone();
                pool.spawn_fiber(move || {
                    let in_scope = || {
                        let sum = Sum::default();
                        heist::finish(|s| {
                            for _ in 0..3 {
                                s.spawn(|_| {
                                    sum.add(*f.get());
                                });
                            }
                            f.get();
                        });
                        sum.get()
                    };
                    let (a, b) = heist::join(in_scope, || i + *f.get());
                    a + b
                })
            })
            .collect();
        while pool.counters().handovers == 0 {
            std::thread::yield_now();
        }
        p.set(1);
        let sum: u32 = tasks.iter().map(|t| *t.get()).sum();
        assert_eq!(sum, 20 * 4 + 190);
    }
}

#[test]
fn the_ends_of_scopes_suspend() {
    for pool in pools(&[1, 2, 8]) {
        let before = pool.counters();
        let barrier = Arc::new(Barrier::new(10_000));
        let tasks: Vec<_> = (0..10_000_u32)
            .map(|i| {
                let barrier = Arc::clone(&barrier);
                pool.spawn_fiber(move || {
                    let mut seen = 0;
                    heist::finish(|s| {
                        s.spawn_async(async {
                            barrier.wait_async().await;
                            seen = i;
                        });
                    });
                    seen
                })
            })
            .collect();
        let sum: u32 = tasks.iter().map(|t| *t.get()).sum();
        assert_eq!(sum, 49_995_000);
        let spent = pool.counters() - before;
        assert_eq!(spent.handovers, 0, "no thread was held");
        // Each task waits at the barrier, and each fiber waits for its task. Nearly all of these waits suspend a task or a fiber.
        assert!(spent.suspensions > 2 * 9_900, "{}", spent.suspensions);
    }
}

#[test]
fn scopes_in_scopes_wait_in_their_bodies() {
    for pool in pools(&[1, 2, 8]) {
        let before = pool.counters();
        let barrier = Arc::new(Barrier::new(500));
        let tasks: Vec<_> = (0..500_u32)
            .map(|i| {
                let barrier = Arc::clone(&barrier);
                pool.spawn_fiber(move || {
                    let sum = Sum::default();
                    heist::finish(|outer| {
                        outer.spawn(|outer| outer.spawn(|_| sum.add(1)));
                        barrier.wait();
                        let inside = heist::finish_fifo(|inner| {
                            inner.spawn(|_| sum.add(2));
                            barrier.wait();
                            outer.spawn(|_| sum.add(3));
                            inner.spawn_fiber(|| {
                                barrier.wait();
                                sum.add(4);
                            });
                            i
                        });
                        assert!(sum.get() >= 6);
                        barrier.wait();
                        sum.add(inside);
                    });
                    sum.get()
                })
            })
            .collect();
        let sum: u32 = tasks.iter().map(|t| *t.get()).sum();
        assert_eq!(sum, 500 * 10 + 500 * 499 / 2);
        assert_eq!((pool.counters() - before).handovers, 0);
    }
}

/// The body of a fiber's scope moves between threads, and spawns tasks on each of these threads.
#[test]
fn a_body_goes_from_worker_to_worker() {
    let pool = pool_of(&Fibers::new(), 8);
    let (fibers, rounds) = (200, 40);
    let barrier = Arc::new(Barrier::new(fibers));
    let moves = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..fibers)
        .map(|_| {
            let (barrier, moves) = (Arc::clone(&barrier), Arc::clone(&moves));
            pool.spawn_fiber(move || {
                let sum = Sum::default();
                let mut at = heist::current_worker_index();
                heist::finish(|f| {
                    for round in 0..rounds {
                        let sum = &sum;
                        f.spawn(move |f| {
                            f.spawn(move |_| sum.add(round));
                        });
                        if round % 4 == 0 {
                            let spawn = || {
                                f.spawn(|_| sum.add(1));
                            };
                            heist::join(spawn, spawn);
                        }
                        barrier.wait();
                        let now = heist::current_worker_index();
                        moves.fetch_add((at != now).into(), Ordering::Relaxed);
                        at = now;
                    }
                });
                sum.get()
            })
        })
        .collect();
    for task in &tasks {
        assert_eq!(*task.get(), rounds * (rounds - 1) / 2 + rounds / 4 * 2);
    }
    assert!(moves.load(Ordering::Relaxed) > 0);
}

/// Tasks panic before and after suspensions, and the body panics.
#[test]
fn the_leftmost_panic_of_a_fibers_scope_wins() {
    let pool = pool_of(&Fibers::new(), 8);
    let tasks: Vec<_> = (0..200_u32)
        .map(|i| {
            pool.spawn_fiber(move || {
                let done = AtomicU32::new(0);
                let (told, second) = promise::<()>();
                let payload = catch_unwind(AssertUnwindSafe(|| {
                    heist::finish(|f| {
                        if i % 3 > 0 {
                            // This task begins and ends after the other task.
                            f.spawn_async(async {
                                (&second).await;
                                panic!("first");
                            });
                        }
                        heist::spawn_async(async {}).get();
                        if i % 3 > 1 {
                            f.spawn(|f| {
                                f.spawn(|_| panic!("second"));
                                panic!("second's parent");
                            });
                        }
                        f.spawn(|_| {
                            done.fetch_add(1, Ordering::Relaxed);
                            told.set(());
                        });
                        panic!("body");
                    });
                }))
                .unwrap_err();
                assert_eq!(done.load(Ordering::Relaxed), 1);
                (i, *payload.downcast::<&str>().unwrap())
            })
        })
        .collect();
    for task in &tasks {
        let &(i, text) = task.get();
        assert_eq!(text, if i % 3 > 0 { "first" } else { "body" });
    }
}

/// The order of panics does not depend on the thread that ran the body at each spawn.
#[test]
fn panics_are_ordered_across_workers() {
    let pool = pool_of(&Fibers::new(), 8);
    let barrier = Arc::new(Barrier::new(200));
    let tasks: Vec<_> = (0..200_u32)
        .map(|i| {
            let barrier = Arc::clone(&barrier);
            pool.spawn_fiber(move || {
                let scope = || {
                    heist::finish(|f| {
                        for round in 0..100 {
                            f.spawn(move |_| {
                                if round >= i % 90 {
                                    resume_unwind(Box::new(round));
                                }
                            });
                            barrier.wait();
                        }
                    });
                };
                let payload = catch_unwind(AssertUnwindSafe(scope)).unwrap_err();
                (i, *payload.downcast::<u32>().unwrap())
            })
        })
        .collect();
    for task in &tasks {
        let &(i, first) = task.get();
        assert_eq!(first, i % 90);
    }
}

/// A fiber that waits for the end of a scope is suspended, no matter to which pool the scope's tasks belong. A fiber that waits for a
/// worklist is suspended, too.
#[test]
fn scopes_of_other_pools_and_worklists_suspend() {
    for pool in pools(&[2]) {
        let other = Arc::new(Pool::new(2).unwrap());
        let before = pool.counters();
        let barrier = Arc::new(Barrier::new(100));
        let tasks: Vec<_> = (0..100_u32)
            .map(|i| {
                let (other, barrier) = (Arc::clone(&other), Arc::clone(&barrier));
                pool.spawn_fiber(move || {
                    let sum = Sum::default();
                    other.finish_in_place(|f| {
                        f.spawn(|f| f.spawn(|_| sum.add(i)));
                        f.spawn_async(async {
                            barrier.wait_async().await;
                        });
                    });
                    let seen = sum.get();
                    heist::worklist::for_each([1_u32, 2, 3], |n, _| {
                        if n == 1 {
                            barrier.wait();
                        }
                        sum.add(n);
                    });
                    seen + sum.get()
                })
            })
            .collect();
        let sum: u32 = tasks.iter().map(|task| *task.get()).sum();
        assert_eq!(sum, 2 * 4950 + 600);
        assert!((pool.counters() - before).suspensions > 100);
    }
}

/// The memory of fibers that had scopes is freed, no matter which thread counted the end of a scope's last task.
#[test]
fn tasks_that_had_scopes_are_freed() {
    let kept = Arc::new(());
    for pool in pools(&[4]) {
        let tasks: Vec<_> = (0..3000)
            .map(|i| {
                let kept = Arc::clone(&kept);
                pool.spawn_fiber(move || {
                    heist::finish(|f| {
                        for _ in 0..i % 3 {
                            f.spawn(|_| ());
                        }
                    });
                    kept
                })
            })
            .collect();
        for task in &tasks {
            task.get();
        }
        drop(tasks);
        drop(pool);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}

/// A fiber that joins a task is suspended. The fiber must not run the task on its own stack, because the task needs a larger stack.
#[test]
fn handles_are_joined_without_a_thread() {
    fn deep() -> u32 {
        std::hint::black_box([1_u8; 256 << 10])[77].into()
    }
    for pool in pools(&[1, 2, 8]) {
        let other = Pool::new(1).unwrap();
        let before = pool.counters();
        let (go, gate) = std::sync::mpsc::channel::<()>();
        other.spawn_detached(move || gate.recv().unwrap());
        let fibers: Vec<_> = (0..1000_u32)
            .map(|i| {
                let elsewhere = other.spawn(move || i);
                pool.spawn_fiber(move || {
                    let bad = heist::spawn(|| panic!("planted"));
                    let sum = heist::spawn(deep).join().unwrap() + elsewhere.join().unwrap();
                    assert!(bad.join().is_err());
                    sum
                })
            })
            .collect();
        while (pool.counters() - before).suspensions < 1000 {
            std::thread::yield_now();
        }
        go.send(()).unwrap();
        let sum: u32 = fibers.iter().map(|fiber| *fiber.get()).sum();
        assert_eq!(sum, 1000 + 499_500);
        assert_eq!((pool.counters() - before).handovers, 0);
    }
}

/// The closures that make the seeds of a worklist may wait, and may continue on another thread. If such a closure continues on another
/// thread, the fiber keeps nothing that belongs to the first thread.
#[test]
fn seeds_that_wait() {
    let pool = pool_of(&Fibers::new(), 4);
    let fibers: Vec<_> = (0..50)
        .map(|_| {
            pool.spawn_fiber(|| {
                let seeds = (0..20_u32).map(|i| *heist::spawn_async(async move { i }).get());
                let sum = Sum::default();
                heist::worklist::for_each(seeds, |n, _| sum.add(n));
                sum.get()
            })
        })
        .collect();
    for fiber in &fibers {
        assert_eq!(*fiber.get(), 190);
    }
}
