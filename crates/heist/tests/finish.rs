//! Tests of `finish` scopes and spawned tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

const SMALL: bool = cfg!(miri);

#[test]
fn every_task_runs_once() {
    for threads in if SMALL { &[1, 2][..] } else { &[1, 2, 3, 8] } {
        let pool = heist::Pool::new(*threads).unwrap();
        let count = if SMALL { 10 } else { 10_000 };
        let ran: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
        for round in 1..=if SMALL { 2 } else { 5 } {
            pool.finish(|f| {
                for ran in &ran {
                    f.spawn(move |_| {
                        ran.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
            assert!(ran.iter().all(|ran| ran.load(Ordering::Relaxed) == round));
        }
    }
}

fn tree<'s>(f: &heist::Finish<'s>, depth: usize, leaves: &'s AtomicUsize) {
    if depth == 0 {
        leaves.fetch_add(1, Ordering::Relaxed);
        return;
    }
    f.spawn(move |f| tree(f, depth - 1, leaves));
    f.spawn(move |f| tree(f, depth - 1, leaves));
}

#[test]
fn tasks_spawn_tasks() {
    for threads in if SMALL { &[1, 2][..] } else { &[1, 2, 8] } {
        let pool = heist::Pool::new(*threads).unwrap();
        let leaves = AtomicUsize::new(0);
        let depth = if SMALL { 3 } else { 14 };
        pool.finish(|f| tree(f, depth, &leaves));
        assert_eq!(leaves.into_inner(), 1 << depth);
    }
}

#[test]
fn long_chains_do_not_deepen_the_stack() {
    fn chain<'s>(f: &heist::Finish<'s>, left: usize, done: &'s AtomicUsize) {
        if left == 0 {
            done.fetch_add(1, Ordering::Relaxed);
        } else {
            f.spawn(move |f| chain(f, left - 1, done));
        }
    }
    let pool = heist::Pool::builder()
        .threads(2)
        .stack_size(256 << 10)
        .build()
        .unwrap();
    let done = AtomicUsize::new(0);
    pool.finish(|f| chain(f, if SMALL { 20 } else { 200_000 }, &done));
    assert_eq!(done.into_inner(), 1);
}

#[test]
fn nested_scopes_and_joins() {
    let pool = heist::Pool::new(3).unwrap();
    let count = AtomicUsize::new(0);
    let n = if SMALL { 2 } else { 30 };
    pool.finish(|outer| {
        for _ in 0..n {
            let count = &count;
            outer.spawn(move |outer| {
                heist::finish(|inner| {
                    for _ in 0..n {
                        // This task spawns onto the inner and onto the outer scope, also from the right side of a join.
                        inner.spawn(move |_| {
                            count.fetch_add(1, Ordering::Relaxed);
                        });
                        outer.spawn(move |_| {
                            count.fetch_add(1, Ordering::Relaxed);
                        });
                        heist::join(
                            || {
                                inner.spawn(move |_| {
                                    count.fetch_add(1, Ordering::Relaxed);
                                })
                            },
                            || {
                                outer.spawn(move |_| {
                                    count.fetch_add(1, Ordering::Relaxed);
                                })
                            },
                        );
                    }
                });
            });
        }
    });
    assert_eq!(count.into_inner(), 4 * n * n);
}

#[test]
fn orders_on_one_worker() {
    let pool = heist::Pool::new(1).unwrap();
    let run = |fifo: bool| {
        let seen = Mutex::new(Vec::new());
        let body = |f: &heist::Finish<'_>, seen: &'static Mutex<Vec<u32>>| {
            for i in 0..5 {
                f.spawn(move |_| seen.lock().unwrap().push(i));
            }
        };
        // The list is leaked, so that the closure above does not depend on the scope's lifetime.
        let seen: &'static Mutex<Vec<u32>> = Box::leak(Box::new(seen));
        pool.install(|| {
            if fifo {
                heist::finish_fifo(|f| body(f, seen));
            } else {
                heist::finish(|f| body(f, seen));
            }
        });
        seen.lock().unwrap().clone()
    };
    assert_eq!(run(true), [0, 1, 2, 3, 4]);
    assert_eq!(run(false), [4, 3, 2, 1, 0]);
}

#[test]
fn spawn_seq_runs_in_place() {
    let pool = heist::Pool::new(2).unwrap();
    pool.finish(|f| {
        let order = Mutex::new(Vec::new());
        let order: &'static Mutex<Vec<u8>> = Box::leak(Box::new(order));
        f.spawn_seq(true, move |_| order.lock().unwrap().push(1));
        order.lock().unwrap().push(2);
        assert_eq!(*order.lock().unwrap(), [1, 2]);
    });
}

#[test]
fn leftmost_task_panic_wins() {
    // Every task whose number is at least the limit panics. The limit changes with the round.
    let (tasks, limit) = if SMALL { (4, 1) } else { (50_usize, 10) };
    for threads in if SMALL { &[2][..] } else { &[1, 2, 4] } {
        let pool = heist::Pool::new(*threads).unwrap();
        for round in 0..if SMALL { 1 } else { 10 } {
            let ran = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.finish(|f| {
                    for i in 0..tasks {
                        let ran = &ran;
                        f.spawn(move |f| {
                            f.spawn(move |_| {
                                ran.fetch_add(1, Ordering::Relaxed);
                                assert!(i < limit + round % 7, "{i}");
                            });
                            ran.fetch_add(1, Ordering::Relaxed);
                            // In a serial execution, the child would have panicked before this line.
                            assert!(i < limit + round % 7, "outer {i}");
                        });
                    }
                    panic!("the body comes last");
                });
            }));
            let text = *result.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(text, (limit + round % 7).to_string());
            assert_eq!(ran.into_inner(), 2 * tasks);
        }
        assert_eq!(pool.install(|| 5), 5);
    }
}

#[test]
fn in_place_from_outside_and_inside() {
    let here = std::thread::current().id();
    let count = AtomicUsize::new(0);
    heist::finish_in_place(|f| {
        assert_eq!(std::thread::current().id(), here);
        for _ in 0..10 {
            f.spawn(|f| {
                count.fetch_add(1, Ordering::Relaxed);
                f.spawn(|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
    });
    assert_eq!(count.load(Ordering::Relaxed), 20);
    let pool = heist::Pool::new(2).unwrap();
    pool.install(|| {
        heist::finish_in_place_fifo(|f| {
            f.spawn(|_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
    });
    assert_eq!(count.into_inner(), 21);
}

#[test]
fn large_and_aligned_closures() {
    #[repr(align(256))]
    #[derive(Clone, Copy)]
    struct Wide([u8; 300]);
    let sum = AtomicUsize::new(0);
    let pool = heist::Pool::new(2).unwrap();
    pool.finish(|f| {
        for i in 0..20_u8 {
            let wide = Wide([i; 300]);
            let sum = &sum;
            f.spawn(move |_| {
                assert_eq!((&raw const wide).addr() % 256, 0);
                sum.fetch_add(usize::from(wide.0[299]), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(sum.into_inner(), 190);
}

#[test]
fn leftmost_panic_of_async_tasks_wins() {
    for threads in [1, 2, 8] {
        let pool = heist::Pool::new(threads).unwrap();
        let ended = AtomicUsize::new(0);
        let barrier = heist::sync::Barrier::new(20);
        let payload = catch_unwind(AssertUnwindSafe(|| {
            pool.finish(|f| {
                for i in 0..20_u32 {
                    let (barrier, ended) = (&barrier, &ended);
                    f.spawn_async(async move {
                        barrier.wait_async().await;
                        ended.fetch_add(1, Ordering::Relaxed);
                        assert!(i < 7 || i % 2 == 0, "{i}");
                    });
                }
            });
        }))
        .unwrap_err();
        assert_eq!(*payload.downcast::<String>().unwrap(), "7");
        assert_eq!(ended.load(Ordering::Relaxed), 20);
    }
}

/// A worker has finished the last task of a scope. The worker then runs a job that waits for the end of this scope.
#[test]
fn the_end_is_told_before_a_job_that_waits_for_it() {
    // For one of these numbers of tasks, the worker takes the job because it takes its oldest entry, as it does every 64th time.
    for tasks in if SMALL { 62..64 } else { 1..66 } {
        let pool = heist::Pool::new(1).unwrap();
        let (open, gate) = mpsc::channel::<()>();
        let (end, ended) = mpsc::channel::<()>();
        // This task occupies the worker until all tasks are queued.
        pool.spawn_detached(move || gate.recv().unwrap());
        let job = pool.finish_in_place(|f| {
            for _ in 0..tasks {
                f.spawn(|_| ());
            }
            let job = pool.spawn(move || ended.recv_timeout(Duration::from_secs(10)));
            open.send(()).unwrap();
            job
        });
        end.send(()).unwrap();
        assert_eq!(job.join().unwrap(), Ok(()), "after {tasks} tasks");
    }
}
