//! Tests of promises that rayon-core's own tests do not check.

use rayon_core::{
    FnContext, ThreadPool, ThreadPoolBuilder, Yield, current_thread_has_pending_tasks,
    current_thread_index, in_place_scope, join, join_context, scope, spawn, spawn_fifo,
    yield_local, yield_now,
};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

fn caught<R>(work: impl FnOnce() -> R) -> thread::Result<R> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
}

fn text(payload: Box<dyn std::any::Any + Send>) -> &'static str {
    payload.downcast_ref::<&'static str>().unwrap()
}

#[test]
fn the_right_side_of_a_join_can_be_stolen_though_the_left_never_forks() {
    pool(2).install(|| {
        let met = Barrier::new(2);
        join(|| met.wait(), || met.wait());
    });
}

#[test]
fn both_sides_of_a_join_run_whichever_panics() {
    for threads in [1, 2] {
        let pool = pool(threads);
        for stolen in [false, true] {
            if stolen && threads == 1 {
                continue;
            }
            let (ran, began) = (AtomicUsize::new(0), AtomicBool::new(false));
            let result = caught(|| {
                pool.join(
                    || {
                        while stolen && !began.load(Ordering::Acquire) {
                            thread::yield_now();
                        }
                        panic!("left");
                    },
                    || {
                        began.store(true, Ordering::Release);
                        thread::sleep(Duration::from_millis(5));
                        ran.fetch_add(1, Ordering::Relaxed);
                        panic!("right");
                    },
                )
            });
            let (): () = match result {
                Err(payload) => assert_eq!(text(payload), "left"),
                Ok(((), ())) => unreachable!(),
            };
            assert_eq!(ran.into_inner(), 1);
        }
    }
}

#[test]
fn a_right_side_that_its_own_thread_took_from_the_queue_counts_as_migrated() {
    pool(1).install(|| {
        let ran = AtomicUsize::new(0);
        let counts = AtomicUsize::new(0);
        let (yielded, migrated) = join_context(
            |context| {
                assert!(!context.migrated());
                let first = yield_local();
                ran.store(counts.load(Ordering::Relaxed), Ordering::Relaxed);
                (first, yield_local())
            },
            |context: FnContext| {
                counts.fetch_add(1, Ordering::Relaxed);
                context.migrated()
            },
        );
        assert_eq!(yielded, (Some(Yield::Executed), Some(Yield::Idle)));
        assert_eq!((ran.into_inner(), migrated), (1, true));
    });
}

#[test]
fn yielding_runs_a_pending_task_and_reports_it() {
    assert_eq!((yield_now(), yield_local()), (None, None));
    assert_eq!(current_thread_has_pending_tasks(), None);
    let pool = pool(1);
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let next = || receiver.lock().unwrap().try_recv();
    pool.install(|| {
        assert_eq!(current_thread_has_pending_tasks(), Some(false));
        for i in 0..3 {
            let sender = sender.clone();
            spawn(move || sender.send(i).unwrap());
        }
        assert_eq!(current_thread_has_pending_tasks(), Some(true));
        assert_eq!(yield_local(), Some(Yield::Executed));
        assert_eq!(next(), Ok(2));
        assert_eq!(yield_now(), Some(Yield::Executed));
        assert_eq!(next(), Ok(1));
        assert_eq!(yield_local(), Some(Yield::Executed));
        assert_eq!(next(), Ok(0));
        assert_eq!(yield_local(), Some(Yield::Idle));
        assert_eq!(yield_now(), Some(Yield::Idle));
    });
    // Sends from a thread outside of the pool, which has no index.
    pool.install(|| {
        thread::scope(|threads| {
            let sender = sender.clone();
            let pool = &pool;
            threads.spawn(move || pool.spawn(move || sender.send(9).unwrap()));
        });
        assert_eq!(yield_local(), Some(Yield::Idle));
        assert_eq!(yield_now(), Some(Yield::Executed));
        assert_eq!(next(), Ok(9));
    });
}

#[test]
fn spawns_in_the_middle_of_a_scope_run_in_their_places() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let push = |i: i32| {
        let order = Arc::clone(&order);
        move || order.lock().unwrap().push(i)
    };
    pool(1).install(|| {
        spawn(push(0));
        scope(|s| {
            s.spawn(|_| push(1)());
            spawn(push(2));
            spawn_fifo(push(3));
            spawn_fifo(push(4));
            s.spawn(|_| push(5)());
        });
        // The scope has ended with its first job; the jobs below it are still in the deque.
        push(6)();
    });
    // These jobs were spawned before the pool was dropped.
    while order.lock().unwrap().len() < 7 {
        thread::yield_now();
    }
    assert_eq!(*order.lock().unwrap(), [5, 3, 4, 2, 1, 6, 0]);
}

/// Checks that each thread has its own index, and that this index never changes. Programs rely on these indices, because they keep scratch
/// space for each index.
#[test]
fn no_two_threads_have_the_same_index_at_a_time() {
    let pool = pool(3);
    let inside: [AtomicBool; 3] = Default::default();
    let threads: [Mutex<Option<thread::ThreadId>>; 3] = Default::default();
    let leaf = || {
        let index = current_thread_index().unwrap();
        assert!(
            !inside[index].swap(true, Ordering::AcqRel),
            "two at {index}"
        );
        let mut thread = threads[index].lock().unwrap();
        assert_eq!(
            *thread.get_or_insert(thread::current().id()),
            thread::current().id()
        );
        drop(thread);
        thread::sleep(Duration::from_micros(20));
        assert_eq!(current_thread_index(), Some(index));
        inside[index].store(false, Ordering::Release);
    };
    fn split(n: usize, leaf: &(impl Fn() + Sync)) {
        if n == 1 {
            leaf();
        } else {
            join(|| split(n / 2, leaf), || split(n - n / 2, leaf));
        }
    }
    pool.install(|| {
        scope(|s| {
            for _ in 0..20 {
                s.spawn(|_| split(40, &leaf));
            }
        });
    });
}

#[test]
fn a_worker_that_waits_for_another_pool_serves_its_own() {
    let (a, b) = (pool(1), pool(1));
    let here = || thread::current().id();
    let (outer, inner) = a.install(|| (here(), b.install(|| a.install(here))));
    assert_eq!(outer, inner, "on top of what waits, on the same thread");
    let sum = AtomicUsize::new(0);
    a.install(|| {
        b.in_place_scope(|s| {
            for _ in 0..10 {
                s.spawn(|_| {
                    a.install(|| sum.fetch_add(1, Ordering::Relaxed));
                });
            }
        });
    });
    assert_eq!(sum.into_inner(), 10);
}

#[test]
fn the_body_of_an_in_place_scope_need_not_be_sent() {
    let here = Rc::new(Cell::new(0));
    let sum = AtomicUsize::new(0);
    in_place_scope(|s| {
        s.spawn(|_| {
            sum.fetch_add(1, Ordering::Relaxed);
        });
        here.set(1);
    });
    assert_eq!((here.get(), sum.into_inner()), (1, 1));
}

#[test]
fn a_scope_with_all_its_work_stolen_is_helped_with() {
    // The thread that waits for the scope takes part in the loop of the job that another worker runs.
    let pool = pool(2);
    let helped = (0..200).any(|_| {
        pool.install(|| {
            let owner = thread::current().id();
            let (helped, began) = (AtomicBool::new(false), AtomicBool::new(false));
            scope(|s| {
                s.spawn(|_| {
                    began.store(true, Ordering::Release);
                    fn split(n: usize, leaf: &(impl Fn() + Sync)) {
                        if n == 1 {
                            leaf();
                        } else {
                            join(|| split(n / 2, leaf), || split(n - n / 2, leaf));
                        }
                    }
                    split(256, &|| {
                        if thread::current().id() == owner {
                            helped.store(true, Ordering::Relaxed);
                        }
                        thread::sleep(Duration::from_micros(20));
                    });
                });
                while !began.load(Ordering::Acquire) {
                    thread::yield_now();
                }
            });
            helped.into_inner()
        })
    });
    assert!(helped);
}

#[test]
fn broadcasts_reach_workers_that_wait() {
    let pool = pool(2);
    let parts = pool.install(|| {
        let (_, parts) = join(
            || (),
            || {
                thread::sleep(Duration::from_millis(5));
                rayon_core::broadcast(|context| context.index())
            },
        );
        parts
    });
    assert_eq!(parts, [0, 1]);
    let parts = pool.install(|| {
        let mut parts = Vec::new();
        scope(|s| {
            s.spawn(|_| {
                thread::sleep(Duration::from_millis(5));
                parts = rayon_core::broadcast(|context| context.num_threads());
            });
            thread::sleep(Duration::from_millis(1));
        });
        parts
    });
    assert_eq!(parts, [2, 2]);
}

/// Checks a thread that `use_current_thread` has made a worker, and that ends before the pool does.
#[test]
fn an_adopted_thread_may_end_before_its_pool() {
    let pool = thread::spawn(|| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(3)
            .use_current_thread()
            .build()
            .unwrap();
        assert_eq!(current_thread_index(), Some(0));
        let (a, b) = join(|| 1, || 2);
        assert_eq!(a + b, 3);
        pool.install(|| assert_eq!(current_thread_index(), Some(0)));
        scope(|s| {
            for _ in 0..100 {
                s.spawn(|_| thread::sleep(Duration::from_micros(10)));
            }
        });
        pool
    })
    .join()
    .unwrap();
    for _ in 0..200 {
        let sum = AtomicUsize::new(0);
        pool.scope(|s| {
            for _ in 0..20 {
                s.spawn(|_| {
                    sum.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(sum.into_inner(), 20);
    }
}

/// Runs `work`, after a pool has ended, on a thread that was a worker of this pool. The stacks of the pool's own
/// threads are too large for the C library's cache of stacks. So the memory of these stacks is unmapped when the
/// threads have ended.
fn after_the_pool<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> thread::Result<R> {
    let adopted = move || {
        let (ended, has_ended) = channel();
        let ended = Mutex::new(ended);
        let pool = ThreadPoolBuilder::new()
            .num_threads(4)
            .stack_size(64 << 20)
            .use_current_thread()
            .exit_handler(move |_| ended.lock().unwrap().send(()).unwrap())
            .build()
            .unwrap();
        pool.install(|| ());
        drop(pool);
        for _ in 1..4 {
            has_ended.recv().unwrap();
        }
        // This waits for the end of these threads, which no event reports.
        thread::sleep(Duration::from_millis(50));
        work()
    };
    thread::spawn(adopted).join()
}

#[test]
fn an_adopted_thread_goes_on_after_its_pool() {
    fn sum(xs: std::ops::Range<u64>) -> u64 {
        if xs.end - xs.start < 10 {
            return xs.sum();
        }
        let middle = xs.start.midpoint(xs.end);
        let (a, b) = join(|| sum(xs.start..middle), || sum(middle..xs.end));
        a + b
    }
    let sums = after_the_pool(|| {
        let other = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let slowly = || {
            thread::sleep(Duration::from_millis(20));
            7
        };
        let from_scope = AtomicUsize::new(0);
        scope(|s| {
            for i in 0..100 {
                let from_scope = &from_scope;
                s.spawn(move |_| {
                    from_scope.fetch_add(i, Ordering::Relaxed);
                });
            }
        });
        // Each call waits on this thread, which looks for other work meanwhile.
        let installed = other.install(slowly);
        (installed, sum(0..10_000), from_scope.into_inner())
    });
    assert_eq!(sums.unwrap(), (7, 49_995_000, 4950));
    // The thread looks for work of other workers, and finds its own work.
    let spawned = after_the_pool(|| {
        let (sender, receiver) = channel();
        rayon_core::spawn(move || sender.send(5).unwrap());
        let yielded = rayon_core::yield_now();
        (yielded, receiver.recv().unwrap(), rayon_core::yield_now())
    });
    let yields = (
        Some(rayon_core::Yield::Executed),
        5,
        Some(rayon_core::Yield::Idle),
    );
    assert_eq!(spawned.unwrap(), yields);
}

#[test]
fn a_broadcast_after_the_pool_panics() {
    let text =
        "rayon-core (heist): a broadcast in a pool that was dropped, whose workers have ended";
    let panics = [
        after_the_pool(|| drop(rayon_core::broadcast(|_| ()))),
        after_the_pool(|| rayon_core::spawn_broadcast(|_| ())),
        after_the_pool(|| scope(|s| s.spawn_broadcast(|_, _| ()))),
    ];
    for result in panics {
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&text));
    }
}

#[test]
fn jobs_left_by_an_adopted_thread_are_run() {
    let (sender, receiver) = channel();
    let pool = thread::spawn(move || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .use_current_thread()
            .build()
            .unwrap();
        for i in 0..50 {
            let sender = sender.clone();
            pool.spawn(move || sender.send(i).unwrap());
        }
        pool
    })
    .join()
    .unwrap();
    let mut all: Vec<i32> = receiver.iter().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..50));
    drop(pool);
}

#[test]
fn panics_of_jobs_that_nobody_waits_for_go_to_the_handler() {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let pool = ThreadPoolBuilder::new()
        .num_threads(2)
        .panic_handler(move |payload| sender.lock().unwrap().send(text(payload)).unwrap())
        .build()
        .unwrap();
    pool.spawn(|| panic!("spawned"));
    assert_eq!(receiver.recv(), Ok("spawned"));
    pool.spawn_broadcast(|_| panic!("everywhere"));
    assert_eq!(
        (receiver.recv(), receiver.recv()),
        (Ok("everywhere"), Ok("everywhere"))
    );
    // The pool still works.
    assert_eq!(pool.install(|| 7), 7);
}

#[test]
fn deep_joins_that_nobody_steals_take_little_stack() {
    fn deep(n: usize) -> usize {
        if n == 0 {
            return 0;
        }
        let (a, b) = join(|| deep(n - 1), || 1);
        a + b
    }
    assert_eq!(pool(1).install(|| deep(1000)), 1000);
}
