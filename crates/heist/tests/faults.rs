//! Checks faults that must not stop the scheduler: values whose drop panics, handlers that wait, spawn handlers that do a new thread's work
//! on the calling thread, and waits that nest deeper than the number of threads.

use heist::{BuildError, Pool};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread::sleep;
use std::time::{Duration, Instant};

const SMALL: bool = cfg!(miri);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A value whose drop panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("planted in a drop");
        }
    }
}

#[test]
fn a_result_nobody_wants_may_panic_in_its_drop() {
    let pool = Pool::new(2).unwrap();
    drop(pool.spawn(|| {
        sleep(ms(20));
        Bomb
    }));
    sleep(ms(60));
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn a_losing_panic_may_panic_in_its_drop() {
    let pool = Pool::new(2).unwrap();
    let ended = AtomicBool::new(false);
    let late = AtomicUsize::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.finish(|f| {
            f.spawn(|_| {
                sleep(ms(100));
                late.fetch_add(usize::from(ended.load(Ordering::SeqCst)), Ordering::SeqCst);
            });
            f.spawn(|_| panic_any(Bomb));
            sleep(ms(20));
            panic_any(Bomb);
        });
    }));
    ended.store(true, Ordering::SeqCst);
    std::mem::forget(result.unwrap_err());
    sleep(ms(200));
    assert_eq!(late.into_inner(), 0, "tasks ran after their scope's end");
}

#[test]
fn a_handlers_panic_may_panic_in_its_drop() {
    let pool = Pool::builder()
        .threads(2)
        .start_handler(|index| {
            if index == 0 {
                panic_any(Bomb);
            }
        })
        .build()
        .unwrap();
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn handles_of_scopes_can_be_printed_anywhere() {
    let pool = Pool::new(2).unwrap();
    pool.finish(|f| {
        std::thread::scope(|s| {
            s.spawn(|| assert!(format!("{f:?}").contains("Finish")));
            f.spawn(|_| ());
        });
    });
}

/// Two closures wait on a pool of one worker. The first closure continues before the second closure begins to wait.
#[test]
fn a_waiter_that_came_back_does_not_hide_the_next_one() {
    let pool = Arc::new(Pool::new(1).unwrap());
    let other = Arc::new(Pool::new(4).unwrap());
    let (go, gone) = mpsc::channel::<()>();
    let first = {
        let other = Arc::clone(&other);
        pool.spawn(move || {
            other.install(move || gone.recv().unwrap());
            sleep(ms(150));
            1
        })
    };
    sleep(ms(30));
    let second = {
        let (other, pool2) = (Arc::clone(&other), Arc::clone(&pool));
        pool.spawn(move || {
            go.send(()).unwrap();
            sleep(ms(30));
            other.install(move || {
                sleep(ms(30));
                pool2.install(|| 7)
            })
        })
    };
    assert_eq!(first.join().unwrap() + second.join().unwrap(), 8);
}

#[test]
fn a_start_handler_may_wait_for_the_pool() {
    let pool = Pool::builder()
        .threads(2)
        .start_handler(|index| {
            if index == 0 {
                sleep(ms(30));
                let (sender, receiver) = mpsc::channel();
                heist::spawn_detached(move || sender.send(()).unwrap());
                receiver.recv().unwrap();
            }
        })
        .build()
        .unwrap();
    sleep(ms(60));
    assert_eq!(pool.install(|| 1), 1);
}

/// A pool in which a thread cannot be started does not wait for the threads that it would have started later.
#[test]
fn a_start_handler_may_wait_in_a_pool_that_fails_to_start() {
    let other = Pool::new(1).unwrap();
    let built = Pool::builder()
        .threads(3)
        .start_handler(move |index| {
            if index == 0 {
                let (sender, receiver) = mpsc::channel();
                heist::spawn_detached(move || sender.send(()).unwrap());
                other.install(move || receiver.recv().unwrap());
            }
        })
        .spawn_handler(|start| {
            if start.index() == 1 {
                return Err(std::io::ErrorKind::WouldBlock.into());
            }
            std::thread::spawn(|| start.run());
            Ok(())
        })
        .build();
    assert!(matches!(built, Err(BuildError::Spawn { .. })));
}

/// A spare thread starts when the pool is already closing. The spare thread forks in its start handler. Another worker still runs the right
/// side of the fork.
#[test]
fn a_pool_that_closes_waits_for_late_spares() {
    let other = Pool::new(1).unwrap();
    let forked = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&forked);
    let (asked, is_asked) = mpsc::channel();
    let pool = Pool::builder()
        .threads(1)
        .start_handler(move |index| {
            if index > 0 {
                let (sender, receiver) = mpsc::channel();
                heist::join(
                    move || receiver.recv().unwrap(),
                    move || sender.send(()).unwrap(),
                );
                noted.store(true, Ordering::SeqCst);
            }
        })
        .spawn_handler(move |start| {
            let index = start.index();
            std::thread::spawn(move || {
                if index > 0 {
                    sleep(ms(100));
                }
                start.run();
            });
            if index > 0 {
                let _ = asked.send(());
            }
            Ok(())
        })
        .build()
        .unwrap();
    pool.install(|| {
        heist::spawn_detached(|| ());
        // The call waits until the worker has given its slot away.
        other.install(move || is_asked.recv_timeout(Duration::from_secs(20)).unwrap());
    });
    drop(pool);
    assert!(forked.load(Ordering::SeqCst), "no spare was started");
}

#[test]
fn a_long_start_handler_holds_up_nobody() {
    let (end, ended) = mpsc::channel::<()>();
    let ended = std::sync::Mutex::new(ended);
    let pool = Pool::builder()
        .threads(2)
        .start_handler(move |index| {
            if index == 0 {
                ended.lock().unwrap().recv().unwrap();
            }
        })
        .build()
        .unwrap();
    sleep(ms(30));
    let since = Instant::now();
    assert_eq!(pool.install(|| 1), 1);
    assert!(since.elapsed() < Duration::from_secs(5));
    end.send(()).unwrap();
}

#[test]
fn exit_handlers_may_wait_for_scopes() {
    for _ in 0..if SMALL { 1 } else { 20 } {
        let pool = Pool::builder()
            .threads(2)
            .exit_handler(|_| {
                for _ in 0..if SMALL { 1 } else { 50 } {
                    heist::finish(|f| heist::finish(|_| (0..3).for_each(|_| f.spawn(|_| ()))));
                }
            })
            .build()
            .unwrap();
        pool.install(|| ());
    }
}

/// At each level, a scope waits for one of its tasks, which was spawned inside of another scope.
#[test]
fn scopes_inside_out_need_no_thread_a_level() {
    fn down(depth: u32, count: &AtomicU32) {
        count.fetch_add(1, Ordering::Relaxed);
        if depth > 0 {
            heist::finish(|outer| {
                heist::finish(|_| outer.spawn(move |_| down(depth - 1, count)));
            });
        }
    }
    let depth = if SMALL { 5 } else { 2000 };
    for threads in [1, 2] {
        let pool = Pool::builder()
            .threads(threads)
            .stack_size(64 << 20)
            .build()
            .unwrap();
        let count = AtomicU32::new(0);
        pool.install(|| down(depth, &count));
        assert_eq!(count.into_inner(), depth + 1);
    }
}

#[test]
fn a_start_run_on_a_worker_is_a_failure() {
    let pool = Pool::new(1).unwrap();
    let error = pool.install(|| {
        Pool::builder()
            .threads(1)
            .spawn_handler(|start| {
                start.run();
                Ok(())
            })
            .build()
            .map(drop)
            .unwrap_err()
    });
    assert!(matches!(error, BuildError::Spawn { started: 0, .. }));
    // In the second case, a spare thread starts in the wrong place, inside of a wait.
    let pool = Arc::new(
        Pool::builder()
            .threads(1)
            .spawn_handler(|start| {
                if start.index() > 0 {
                    start.run();
                } else {
                    std::thread::spawn(|| start.run());
                }
                Ok(())
            })
            .build()
            .unwrap(),
    );
    let other = Pool::new(1).unwrap();
    let inner = Arc::clone(&pool);
    pool.install(|| {
        other.install(|| {
            let task = inner.spawn(|| 3);
            sleep(ms(30));
            drop(task);
        });
    });
    assert_eq!(pool.install(|| 4), 4);
}

#[test]
fn a_name_with_a_nul_is_an_error() {
    let error = Pool::builder().name("a\0b").build().unwrap_err();
    assert!(matches!(error, BuildError::Name { .. }));
}

/// A value whose drop panics even if the thread is already unwinding.
struct Mean;

impl Drop for Mean {
    fn drop(&mut self) {
        panic!("planted in a drop");
    }
}

/// The left side of a join panics, and the result of the right side is dropped while this panic unwinds.
#[test]
fn a_result_dropped_in_a_retreat_may_panic_in_its_drop() {
    let pool = Pool::new(2).unwrap();
    for right in [|| Mean, || panic_any(Mean)] {
        let (sender, receiver) = mpsc::channel();
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                move || {
                    receiver.recv().unwrap();
                    panic!("left");
                },
                move || {
                    sender.send(()).unwrap();
                    right()
                },
            )
        }));
        let payload = result.err().unwrap();
        assert_eq!(*payload.downcast::<&str>().unwrap(), "left");
    }
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn panics_of_a_broadcast_may_panic_in_their_drops() {
    let pool = Pool::new(4).unwrap();
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.broadcast(|index| match index {
            0 => panic!("first"),
            1 => panic_any(Mean),
            _ => Mean,
        })
    }));
    let payload = result.map(std::mem::forget).unwrap_err();
    assert_eq!(*payload.downcast::<&str>().unwrap(), "first");
    assert_eq!(pool.install(|| 1), 1);
}

/// The left side of a join panics while descendants of the right side panic, too. The owner has taken back some of the descendants of the
/// right side.
#[test]
fn panics_on_both_sides_of_a_retreat() {
    fn tree(depth: u32, begun: &AtomicBool) {
        begun.store(true, Ordering::SeqCst);
        if depth == 0 {
            panic!("leaf");
        }
        let half = || {
            sleep(Duration::from_micros(20));
            tree(depth - 1, begun);
        };
        let _ = catch_unwind(AssertUnwindSafe(|| heist::join(half, half)));
    }
    let pool = Pool::new(2).unwrap();
    for _ in 0..if SMALL { 1 } else { 50 } {
        let begun = AtomicBool::new(false);
        let left = || {
            while !begun.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            panic!("left");
        };
        let depth = if SMALL { 2 } else { 4 };
        let result = catch_unwind(AssertUnwindSafe(|| pool.join(left, || tree(depth, &begun))));
        let payload = result.err().unwrap();
        assert_eq!(*payload.downcast::<&str>().unwrap(), "left");
    }
}

/// The ways in which a start handler waits for tasks of its own pool.
const WAITS: [fn(); 8] = [
    || {
        let f = heist::spawn_async(async { 1 });
        assert_eq!(*f.get(), 1);
    },
    || assert_eq!(heist::spawn(|| 2).join().unwrap(), 2),
    || assert_eq!(heist::join(|| 3, || 4), (3, 4)),
    || {
        let ran = AtomicU32::new(0);
        heist::finish(|f| {
            f.spawn_async(async { _ = ran.fetch_add(1, Ordering::Relaxed) });
            f.spawn(|_| _ = ran.fetch_add(1, Ordering::Relaxed));
        });
        assert_eq!(ran.into_inner(), 2);
    },
    || {
        let (sender, receiver) = heist::sync::channel(1);
        heist::spawn_detached(move || sender.send(5).unwrap());
        assert_eq!(receiver.recv().unwrap(), 5);
    },
    || {
        let (promise, future) = heist::sync::promise();
        heist::spawn_async(async move {
            let six = heist::spawn_async(async { 6 });
            promise.set(*(&six).await);
        });
        assert_eq!(*future.get(), 6);
    },
    || {
        let value = heist::block_on(async { *(&heist::sync::future(|| 7)).await });
        assert_eq!(value, 7);
    },
    || {
        let other = Pool::new(1).unwrap();
        assert_eq!(other.install(|| *heist::sync::future(|| 8).get()), 8);
    },
];

/// The pool's threads work for the pool while their handlers wait. So the pool starts no spare thread, whose handler would also
/// wait.
#[test]
fn a_start_handler_that_waits_through_heist_needs_no_spare_thread() {
    for (how, wait) in WAITS.into_iter().enumerate() {
        for threads in [1, 2, if SMALL { 3 } else { 8 }] {
            let started = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&started);
            let pool = Pool::builder()
                .threads(threads)
                .start_handler(move |_| {
                    count.fetch_add(1, Ordering::SeqCst);
                    wait();
                })
                .build()
                .unwrap();
            assert_eq!(pool.install(|| 9), 9);
            drop(pool);
            let started = started.load(Ordering::SeqCst);
            assert_eq!(started, threads, "way {how} on {threads} threads");
        }
    }
}

/// A start handler spawns a task and returns. The pool has a single thread, so no other worker can steal the task.
#[test]
fn tasks_that_a_start_handler_leaves_behind_are_run() {
    let (sender, receiver) = mpsc::channel();
    let _pool = Pool::builder()
        .threads(1)
        .start_handler(move |_| {
            let sender = sender.clone();
            heist::spawn_async(async move { sender.send(1).unwrap() });
        })
        .build()
        .unwrap();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(20)), Ok(1));
}

/// While a start handler waits for a value that another thread sets late, the pool runs work.
#[test]
fn a_start_handler_waits_for_an_outside_value_while_the_pool_runs() {
    let (promise, future) = heist::sync::promise();
    let pool = Pool::builder()
        .threads(1)
        .start_handler(move |_| assert_eq!(*future.get(), 10))
        .build()
        .unwrap();
    assert_eq!(pool.install(|| heist::join(|| 1, || 2)), (1, 2));
    assert_eq!(pool.broadcast(|index| index), [0]);
    promise.set(10);
    assert_eq!(pool.install(|| 11), 11);
}

/// Workers call a spawn handler in the middle of scheduling. The waits of a spawn handler must not need another thread.
#[test]
fn a_spawn_handler_may_wait_for_its_own_pool() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let pool = Pool::builder()
        .threads(1)
        .spawn_handler(move |start| {
            if count.fetch_add(1, Ordering::SeqCst) > 0 {
                // This code runs on the worker that is about to wait.
                let (promise, future) = heist::sync::promise();
                heist::spawn_async(async move { promise.set(1) });
                assert_eq!(*future.get(), 1);
            }
            std::thread::spawn(|| start.run());
            Ok(())
        })
        .build()
        .unwrap();
    let (sender, receiver) = heist::sync::channel(1);
    let (queued, is_queued) = mpsc::channel();
    let waiter = pool.spawn(move || {
        // The task waits until the other task is in the queue, so the pool must start another thread.
        is_queued.recv().unwrap();
        receiver.recv().unwrap()
    });
    pool.spawn_detached(move || sender.send(12).unwrap());
    queued.send(()).unwrap();
    assert_eq!(waiter.join().unwrap(), 12);
    assert!(started.load(Ordering::SeqCst) <= 3);
}

/// The home thread of a scope waits for the scope's end. During this wait, the thread runs a pinned fiber of the scope. The scope counts
/// its unfinished tasks in two parts: a part that only the home thread uses, and a shared part. The home thread adds its own part to the
/// shared part before it waits. If the thread then counted the fiber's end in its own part, the end would be lost.
#[cfg(all(unix, not(miri)))]
#[test]
fn a_scope_ends_whose_last_fiber_runs_on_top_of_its_wait() {
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        let builder = Pool::builder().threads(1);
        // SAFETY: no code of this test enters a scope of a thread across a wait.
        let builder = unsafe { builder.fibers(heist::Fibers::new().pinned()) };
        let pool = builder.build().unwrap();
        let (promise, future) = heist::sync::promise();
        let waker = std::thread::spawn(move || {
            sleep(ms(50));
            promise.set(13);
        });
        let ran = AtomicU32::new(0);
        pool.finish(|f| {
            f.spawn_fiber(|| {
                ran.fetch_add(*future.get(), Ordering::Relaxed);
            });
        });
        waker.join().unwrap();
        done.send(ran.into_inner()).unwrap();
    });
    assert_eq!(is_done.recv_timeout(Duration::from_secs(20)), Ok(13));
}

#[test]
fn a_task_that_was_offered_to_a_poller_is_joined_by_another_worker() {
    let pool = Pool::new(2).unwrap();
    let rounds = if SMALL { 20 } else { 2_000 };
    let given = Mutex::new(None);
    // The number of the current step. It is odd while a handle is passed to the other worker.
    let turn = AtomicUsize::new(0);
    // Set when a worker has ended, perhaps by a panic, so that the other worker does not wait for it.
    let over = AtomicBool::new(false);
    let comes = |number: usize| {
        while turn.load(Ordering::Acquire) != number {
            if over.load(Ordering::Acquire) {
                return false;
            }
            std::hint::spin_loop();
        }
        true
    };
    pool.broadcast(|index| {
        let _end = End(&over);
        for round in 0..rounds {
            if index == 0 {
                let begin = || heist::spawn(move || Box::new(round));
                let mut handle = Some(begin());
                heist::block_on(poll_fn(|context| {
                    let Some(mut handle) = handle.take() else {
                        return Poll::Ready(());
                    };
                    // A spare thread may have run the task already. In this case another task is passed on.
                    while let Poll::Ready(done) = Pin::new(&mut handle).poll(context) {
                        assert_eq!(*done.unwrap(), round);
                        handle = begin();
                    }
                    *given.lock().unwrap() = Some(handle);
                    turn.store(2 * round + 1, Ordering::Release);
                    Poll::Pending
                }));
                if !comes(2 * round + 2) {
                    break;
                }
            } else {
                if !comes(2 * round + 1) {
                    break;
                }
                let handle = given.lock().unwrap().take().unwrap();
                assert_eq!(*handle.join().unwrap(), round);
                turn.store(2 * round + 2, Ordering::Release);
            }
        }
    });
    assert_eq!(turn.into_inner(), 2 * rounds);

    struct End<'t>(&'t AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
}
