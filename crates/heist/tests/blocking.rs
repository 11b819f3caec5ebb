//! Checks closures that wait for the operating system while other threads hold the workers' slots.

use heist::{Fibers, Pool, blocking};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Returns the time that `work` takes, in seconds.
fn seconds(work: impl FnOnce()) -> f64 {
    let since = Instant::now();
    work();
    since.elapsed().as_secs_f64()
}

#[test]
fn sleeps_of_many_tasks_go_on_at_once() {
    let pool = Pool::new(2).unwrap();
    let once = || {
        let forked = AtomicUsize::new(0);
        let time = seconds(|| {
            pool.finish(|f| {
                for _ in 0..64 {
                    f.spawn(|_| blocking(|| thread::sleep(Duration::from_millis(100))));
                }
                // Joins make progress meanwhile.
                f.spawn(|_| {
                    for _ in 0..20 {
                        assert_eq!(fib(12), 144);
                        forked.fetch_add(1, Ordering::Relaxed);
                    }
                });
            });
        });
        assert_eq!(forked.into_inner(), 20);
        time
    };
    // One after another on two workers, the sleeps would take 3.2 s. Together they take 0.11 s on an idle machine. On a busy
    // machine, at least one round must be short.
    let mut times = Vec::new();
    while times.last().is_none_or(|&time| time >= 0.8) {
        assert!(times.len() < 5, "{times:?} s");
        times.push(once());
    }
}

/// Each task waits at a barrier in a blocking region, until all tasks have begun. Even one worker must be able to begin all tasks.
#[test]
fn a_region_waits_for_tasks_of_its_own_pool() {
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let barrier = Barrier::new(20);
        pool.finish(|f| {
            for _ in 0..20 {
                f.spawn(|_| {
                    blocking(|| barrier.wait());
                });
            }
        });
    }
}

/// While a closure is in a blocking region, other threads run the forks and the tasks that the closure made before the region.
#[test]
fn forks_and_tasks_made_before_a_region_are_not_lost() {
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        for _ in 0..50 {
            let (sent, received) = mpsc::channel();
            let wait = move || blocking(|| received.recv().unwrap());
            let (got, ()) = pool.join(wait, move || sent.send(7).unwrap());
            assert_eq!(got, 7);
            let (sent, received) = mpsc::channel();
            let received = Mutex::new(received);
            pool.finish(|f| {
                f.spawn(move |_| sent.send(8).unwrap());
                let got = blocking(|| received.lock().unwrap().recv().unwrap());
                assert_eq!(got, 8);
            });
        }
    }
}

#[test]
fn a_region_forks_spawns_and_waits() {
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let all = pool.finish(|f| {
            let all = AtomicUsize::new(0);
            heist::finish(|inner| {
                for _ in 0..40 {
                    inner.spawn(|_| {
                        blocking(|| {
                            assert_eq!(fib(10), 55);
                            heist::finish(|f| {
                                for _ in 0..3 {
                                    f.spawn(|_| {
                                        all.fetch_add(1, Ordering::Relaxed);
                                    });
                                }
                            });
                            heist::yield_now();
                            let nested = blocking(|| heist::spawn(|| 5).join().unwrap());
                            assert_eq!(nested, 5);
                        });
                    });
                }
            });
            f.spawn(|_| ());
            all.into_inner()
        });
        assert_eq!(all, 120);
    }
}

/// After all regions have ended, no more workers run than before the regions.
#[test]
fn places_are_taken_back() {
    let pool = Pool::new(2).unwrap();
    for _ in 0..200 {
        pool.finish(|f| {
            for i in 0..8_u64 {
                f.spawn(move |_| {
                    blocking(|| thread::sleep(Duration::from_micros(i * 20)));
                    assert_eq!(fib(8), 21);
                });
            }
        });
    }
    // Each task needs a worker, so at most two tasks should run this code at a time.
    let width = || {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.finish(|f| {
            for _ in 0..100 {
                f.spawn(|_| {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::sleep(Duration::from_micros(200));
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        most.into_inner()
    };
    // The pool needs a moment to come to rest, and then stays at rest, even if a surplus worker came late to a round.
    let since = Instant::now();
    while (0..5).any(|_| width() > 2) {
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "excess workers stay"
        );
    }
}

#[test]
fn a_panic_leaves_a_region_and_takes_the_place_back() {
    let pool = Pool::new(1).unwrap();
    for _ in 0..20 {
        let failed = pool.spawn(|| blocking(|| panic!("as planned"))).join();
        assert!(failed.is_err());
        assert_eq!(pool.install(|| fib(10)), 55);
    }
}

/// A fiber in a region keeps its thread, no matter what the fiber waits for.
#[test]
fn fibers_and_async_tasks_stay_where_they_are() {
    for threads in [1, 2] {
        // SAFETY: values that belong to a thread live only in regions, which keep the fiber on its thread.
        let pool = unsafe { Pool::builder().threads(threads).fibers(Fibers::new()) }
            .build()
            .unwrap();
        let fibers: Vec<_> = (0..20)
            .map(|i| {
                pool.spawn_fiber(move || {
                    heist::yield_now();
                    blocking(|| {
                        let here = thread::current().id();
                        heist::yield_now();
                        let got = *heist::spawn_async(async move { i }).get();
                        assert_eq!(thread::current().id(), here);
                        got
                    })
                })
            })
            .collect();
        for (i, fiber) in fibers.into_iter().enumerate() {
            assert_eq!(*fiber.get(), i);
        }
        let tasks: Vec<_> = (0..20)
            .map(|i| pool.spawn_async(async move { blocking(|| fib(i % 10)) }))
            .collect();
        for (i, task) in (0..).zip(tasks) {
            assert_eq!(*task.get(), fib(i % 10));
        }
    }
}

#[test]
fn elsewhere_it_only_calls() {
    assert_eq!(blocking(|| 1), 1);
    assert_eq!(heist::sync::isolated(|| blocking(|| 2)), 2);
    let pool = Pool::builder()
        .threads(1)
        .start_handler(|_| assert_eq!(blocking(|| 3), 3))
        .build()
        .unwrap();
    assert_eq!(pool.install(|| blocking(|| blocking(|| 4))), 4);
}

/// A cancelled scope begins no region, whereas a region that has already begun runs to its end.
#[test]
fn a_cancelled_scope_begins_no_region() {
    let pool = Pool::new(2).unwrap();
    let (ended, begun) = (AtomicBool::new(false), AtomicBool::new(false));
    let cancelled = pool.install(|| {
        heist::cancellable(|token| {
            blocking(|| {
                token.cancel();
                thread::sleep(Duration::from_millis(1));
                ended.store(true, Ordering::Relaxed);
            });
            blocking(|| begun.store(true, Ordering::Relaxed));
        })
    });
    assert!(cancelled.is_err());
    assert!(ended.into_inner());
    assert!(!begun.into_inner());
}

/// Regions beyond the number of spare threads wait for a thread, and no task is lost.
#[test]
fn spare_threads_bound_the_regions() {
    let pool = Pool::builder().threads(2).spare_threads(3).build().unwrap();
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool.finish(|f| {
        for _ in 0..30 {
            f.spawn(|_| {
                blocking(|| {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    // On a busy machine the first spare thread may come late.
                    let began = Instant::now();
                    loop {
                        thread::sleep(Duration::from_millis(2));
                        let has_come = most.load(Ordering::SeqCst) >= 3;
                        if has_come || began.elapsed() > Duration::from_secs(10) {
                            break;
                        }
                    }
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            });
        }
    });
    let most = most.into_inner();
    assert!((3..=5).contains(&most), "{most} at a time");
}
