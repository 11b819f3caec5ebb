//! Checks which work a cancellation stops: under every policy it must stop the work that belongs to the scope, and no other work, no matter
//! on which worker the work runs.

use crate::{fib, until};
use heist::policy::SpawnPolicy;
use heist::sync::promise;
use heist::{CancelToken, Cancelled, Fibers, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Returns a pool whose fibers may continue on any worker.
fn with_fibers(threads: usize) -> Pool {
    // SAFETY: no code of these tests keeps a value that belongs to a thread across a wait.
    unsafe { Pool::builder().threads(threads).fibers(Fibers::new()) }
        .build()
        .unwrap()
}

/// The cancellation does not stop a task of `spawn` that the scope's own worker runs in place. The cancellation would not stop the task on
/// another worker either.
#[test]
fn tasks_that_outlive_a_scope_are_not_stopped_in_place() {
    let pool = Pool::new(1).unwrap();
    let value = pool.cancellable(|token| {
        let token = token.clone();
        let task = heist::spawn(move || {
            token.cancel();
            fib(10)
                + heist::finish(|f| {
                    f.spawn(|_| ());
                    2
                })
        });
        task.join().unwrap()
    });
    assert_eq!(value, Ok(57));
}

/// The cancellation of a scope also stops the scope's tasks in another pool, although no thief in that pool ever sends a request.
#[test]
fn a_scope_reaches_tasks_in_another_pool() {
    let (here, other) = (Pool::new(1).unwrap(), Pool::new(1).unwrap());
    for outside in [false, true] {
        let search = || {
            heist::with_timeout(Duration::from_millis(20), |_| {
                other.finish_in_place(|f| {
                    f.spawn(|_| {
                        loop {
                            heist::join(|| (), || ());
                        }
                    });
                });
            })
        };
        let found = if outside {
            search()
        } else {
            here.install(search)
        };
        assert_eq!(found, Err(Cancelled));
    }
    assert_eq!(other.install(|| fib(10)), 55);
}

/// Under each policy, a cancellation stops a body that spawns tasks forever, and tasks that are spawned after the cancellation do not
/// begin.
#[test]
fn spawns_of_all_policies_stop() {
    for threads in [1, 2] {
        let pool = with_fibers(threads);
        for policy in [
            SpawnPolicy::HelpFirst,
            SpawnPolicy::WorkFirst,
            SpawnPolicy::Adaptive,
            SpawnPolicy::WorkSharing,
        ] {
            let begun = AtomicUsize::new(0);
            let found = pool.cancellable(|token| {
                heist::finish_with(policy, |f| {
                    // Some tasks run before the cancellation, so that the scope's workers are busy.
                    for _ in 0..100 {
                        f.spawn(|_| ());
                    }
                    token.cancel();
                    loop {
                        f.spawn(|_| {
                            begun.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                })
            });
            assert_eq!(found, Err(Cancelled), "{policy}");
            assert_eq!(begun.into_inner(), 0, "{policy}");
            // In this second case, another thread cancels in the middle of the scope.
            let token = CancelToken::new();
            let running = AtomicBool::new(false);
            std::thread::scope(|s| {
                s.spawn(|| {
                    until("the body", || running.load(Ordering::Relaxed));
                    token.cancel();
                });
                let running = &running;
                let found = pool.install(|| {
                    token.run(|| {
                        heist::finish_with(policy, |f| {
                            // With one worker, no task may run before the body has ended, so the body reports that it runs.
                            running.store(true, Ordering::Relaxed);
                            loop {
                                f.spawn(|f| f.spawn(|_| ()));
                            }
                        })
                    })
                });
                assert_eq!(found, Err(Cancelled), "{policy}");
            });
            assert_eq!(pool.install(|| fib(10)), 55);
        }
    }
}

/// A task of a scope has started a fiber. The fiber continues after the scope has ended, and its forks are not stopped.
#[test]
fn fibers_outlive_the_scope_in_which_they_began() {
    for threads in [1, 2] {
        let pool = with_fibers(threads);
        for round in 0..if cfg!(miri) { 2 } else { 200 } {
            let policy = [SpawnPolicy::WorkFirst, SpawnPolicy::HelpFirst][round % 2];
            let (sender, receiver) = promise::<u64>();
            let (fibers, handles) = std::sync::mpsc::channel();
            let ended = pool.spawn(move || {
                heist::cancellable(|token| {
                    heist::finish_with(policy, |f| {
                        f.spawn(move |f| {
                            f.spawn(move |_| {
                                let fiber = heist::spawn_fiber(move || {
                                    heist::finish(|f| {
                                        f.spawn(|_| ());
                                        let value = *receiver.get();
                                        f.spawn(|_| ());
                                        value + fib(10) + heist::join(|| 1, || 2).1
                                    })
                                });
                                fibers.send(fiber).unwrap();
                            });
                        });
                    });
                    token.cancel();
                })
            });
            let _ = ended.join().unwrap();
            sender.set(3);
            let fiber = handles.recv().unwrap();
            assert_eq!(*fiber.get(), 60);
        }
    }
}

/// A broadcast rethrows the panic of one worker's part if the other worker's part is cancelled, no matter which of the two workers has the
/// smaller index.
#[test]
fn a_broadcast_prefers_the_panic() {
    let pool = Pool::new(2).unwrap();
    for panics in [0, 1] {
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            pool.cancellable(|token| {
                pool.broadcast(|index| {
                    if index == panics {
                        token.cancel();
                        std::panic::resume_unwind(Box::new("a bug"));
                    }
                    loop {
                        heist::check_cancelled();
                    }
                })
            })
        }));
        let payload = thrown.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a bug"));
    }
}
