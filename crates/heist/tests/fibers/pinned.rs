//! Checks fibers that are pinned to their thread.

mod on_top;

use super::pool_of;
use heist::sync::{Barrier, Mutex, Semaphore, channel, promise};
use heist::{Fibers, IdlePolicy, Pool, block_on};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::hint::spin_loop;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::task::Poll;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const PINNED: Fibers = Fibers::new().pinned();

fn pool(threads: usize) -> Pool {
    pool_of(&PINNED, threads)
}

/// Returns a pool whose workers sleep as soon as a search finds nothing.
fn sleepy_pool(threads: usize) -> Pool {
    let builder = Pool::builder().threads(threads).idle(IdlePolicy::Sleep);
    // SAFETY: the fibers are pinned, and none of them enters a scope of a thread across a wait.
    unsafe { builder.fibers(PINNED) }.build().unwrap()
}

fn here() -> ThreadId {
    thread::current().id()
}

/// Suspends the current fiber once. All other code that can continue runs before this fiber continues.
fn give_way() {
    let mut waited = false;
    block_on(poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }));
}

/// Spins until `what` returns true.
fn until(what: impl Fn() -> bool) {
    while !what() {
        thread::yield_now();
    }
}

thread_local! {
    /// A value that the fibers of a thread share.
    static SHARED: Rc<Cell<u64>> = Rc::new(Cell::new(0));
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Runs fibers that yield and wait for each other, and that check on which thread they are. If `flood` is true, many other tasks
/// run at the same time.
fn stay(threads: usize, flood: bool) {
    const FIBERS: usize = 6;
    let pool = pool(threads);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        if flood {
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    pool.install(|| {
                        heist::finish(|f| {
                            for _ in 0..20 {
                                f.spawn(|_| assert_eq!(fib(8), 21));
                                f.spawn_async(async {});
                            }
                        });
                    });
                }
            });
        }
        let gates: Arc<Vec<_>> = Arc::new((0..FIBERS).map(|_| Semaphore::new(0)).collect());
        let tasks: Vec<_> = (0..FIBERS)
            .map(|i| {
                let gates = Arc::clone(&gates);
                pool.spawn_fiber(move || {
                    let home = here();
                    let shared = SHARED.with(Rc::clone);
                    let before = shared.get();
                    for round in 1..=1000 {
                        if round % 2 == 0 {
                            gates[(i + 1) % FIBERS].release(1);
                            gates[i].acquire(1).keep();
                        } else {
                            give_way();
                        }
                        assert_eq!(here(), home);
                        shared.set(shared.get() + 1);
                        SHARED.with(|again| assert!(Rc::ptr_eq(again, &shared)));
                    }
                    assert!(shared.get() >= before + 1000);
                })
            })
            .collect();
        for task in tasks {
            task.get();
        }
        over.store(true, SeqCst);
    });
}

#[test]
fn stay_on_their_thread() {
    for threads in [1, 2, 3, 8] {
        stay(threads, false);
    }
}

#[test]
fn stay_in_a_flood() {
    for threads in [1, 2, 8] {
        stay(threads, true);
    }
}

/// A thread outside of the pool wakes a fiber whose worker sleeps.
#[test]
fn are_called_by_name() {
    const ROUNDS: usize = 10_000;
    let median = |pool: &Pool| {
        let (gate, answer) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let fiber = pool.spawn_fiber({
            let (gate, answer) = (Arc::clone(&gate), Arc::clone(&answer));
            move || {
                let home = here();
                for _ in 0..ROUNDS {
                    gate.acquire(1).keep();
                    assert_eq!(here(), home);
                    answer.release(1);
                }
            }
        });
        let mut times: Vec<_> = (0..ROUNDS)
            .map(|round| {
                // The wake-up comes before the worker sleeps in some rounds, and long after that in others.
                for _ in 0..round % 64 * 64 {
                    spin_loop();
                }
                let since = Instant::now();
                gate.release(1);
                answer.acquire(1).keep();
                since.elapsed()
            })
            .collect();
        fiber.get();
        times.sort();
        times[ROUNDS / 2]
    };
    for threads in [1, 3] {
        let pool = sleepy_pool(threads);
        // The measurement is repeated if other programs use the processors.
        let mut medians = Vec::new();
        while medians
            .last()
            .is_none_or(|median| *median >= Duration::from_millis(1))
        {
            assert!(medians.len() < 5, "{medians:?}");
            medians.push(median(&pool));
        }
        assert!(pool.counters().parks > 100, "{:?}", pool.counters());
    }
}

/// A pinned fiber becomes ready while its thread has no slot, because the thread has given its slot to another thread, which is busy.
#[test]
fn bring_a_surplus_thread_back() {
    for _ in 0..20 {
        let pool = pool(1);
        let (start, go) = promise::<()>();
        let (begun, held) = (Arc::new(AtomicBool::new(false)), Semaphore::new(0));
        let fiber = pool.spawn_fiber({
            let begun = Arc::clone(&begun);
            move || {
                let home = here();
                begun.store(true, SeqCst);
                go.get();
                assert_eq!(here(), home);
                home
            }
        });
        until(|| begun.load(SeqCst));
        let (busy, over) = (AtomicBool::new(false), AtomicBool::new(false));
        thread::scope(|scope| {
            let (pool, held, busy, over) = (&pool, &held, &busy, &over);
            let closure = scope.spawn(move || {
                pool.install(|| {
                    held.acquire(1).keep();
                    here()
                })
            });
            until(|| pool.counters().handovers > 0);
            let other = scope.spawn(move || {
                pool.install(|| {
                    busy.store(true, SeqCst);
                    until(|| over.load(SeqCst));
                    here()
                })
            });
            until(|| busy.load(SeqCst));
            held.release(1);
            let home = closure.join().unwrap();
            // The surplus thread stops running immediately, or soon.
            thread::sleep(Duration::from_millis(2));
            start.set(());
            assert_eq!(*fiber.get(), home);
            assert!(!over.load(SeqCst));
            over.store(true, SeqCst);
            assert_ne!(other.join().unwrap(), home);
        });
        // The pool works as it did before.
        assert_eq!(pool.install(|| fib(10)), 55);
    }
}

#[test]
fn play_ping_pong() {
    const ROUNDS: u32 = 100_000;
    let pool = pool(2);
    let turns = Arc::new([Semaphore::new(1), Semaphore::new(0)]);
    let begun = Arc::new(AtomicU32::new(0));
    let players: Vec<_> = (0..2)
        .map(|i| {
            let (turns, begun) = (Arc::clone(&turns), Arc::clone(&begun));
            pool.spawn_fiber(move || {
                begun.fetch_add(1, SeqCst);
                until(|| begun.load(SeqCst) == 2);
                let home = here();
                for _ in 0..ROUNDS {
                    turns[i].acquire(1).keep();
                    turns[1 - i].release(1);
                }
                assert_eq!(here(), home);
                home
            })
        })
        .collect();
    assert_ne!(players[0].get(), players[1].get());
}

#[test]
fn a_pool_is_dropped_when_they_have_ended() {
    for threads in [1, 2, 8] {
        for late in [false, true] {
            let pool = pool(threads);
            let (start, go) = promise::<()>();
            let ended = Arc::new(AtomicU32::new(0));
            for _ in 0..100 {
                let (go, ended) = (go.clone(), Arc::clone(&ended));
                pool.spawn_fiber(move || {
                    let home = here();
                    go.get();
                    give_way();
                    assert_eq!(here(), home);
                    ended.fetch_add(1, SeqCst);
                });
            }
            let outsider = thread::spawn(move || {
                thread::sleep(Duration::from_millis(if late { 20 } else { 0 }));
                start.set(());
            });
            drop(pool);
            assert_eq!(ended.load(SeqCst), 100);
            outsider.join().unwrap();
        }
    }
}

/// Checks that other code runs although fibers of the only worker can always continue.
#[test]
fn keep_nobody_out() {
    fn yields_until(pool: &Pool, flag: &Arc<AtomicBool>) -> heist::sync::Future<()> {
        let flag = Arc::clone(flag);
        pool.spawn_fiber(move || {
            while !flag.load(SeqCst) {
                give_way();
            }
        })
    }
    let flags: [_; 4] = std::array::from_fn(|_| Arc::new(AtomicBool::new(false)));
    let pool = pool(1);
    let fibers = flags.each_ref().map(|flag| yields_until(&pool, flag));
    let set = |i: usize| {
        let flag = Arc::clone(&flags[i]);
        move || flag.store(true, SeqCst)
    };
    // The four flags are set from outside of the pool, from another fiber of the same thread, from a task that yields often, and
    // while a closure waits.
    pool.install(set(0));
    fibers[0].get();
    pool.spawn_fiber(set(1)).get();
    fibers[1].get();
    let third = set(2);
    pool.spawn_async(async move {
        for _ in 0..100 {
            let mut waited = false;
            poll_fn(|context| {
                context.waker().wake_by_ref();
                match std::mem::replace(&mut waited, true) {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                }
            })
            .await;
        }
        third();
    })
    .get();
    fibers[2].get();
    let (last, fourth) = (&fibers[3], set(3));
    let waits = AtomicBool::new(false);
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            pool.install(|| {
                waits.store(true, SeqCst);
                last.get();
            })
        });
        until(|| waits.load(SeqCst));
        thread::sleep(Duration::from_millis(5));
        pool.install(fourth);
        waiter.join().unwrap();
    });
}

/// Checks that a fiber continues although the only worker always has other tasks to run.
#[test]
fn are_not_kept_out() {
    let pool = pool(1);
    let over = Arc::new(AtomicBool::new(false));
    let (start, go) = promise::<()>();
    let fiber = pool.spawn_fiber({
        let over = Arc::clone(&over);
        move || {
            go.get();
            for _ in 0..10 {
                give_way();
            }
            over.store(true, SeqCst);
        }
    });
    /// Spawns a task. Each of these tasks spawns the next task. So a task is always at the top of the deque until `over` is set.
    fn flood(over: Arc<AtomicBool>, runs: Arc<AtomicU32>) {
        runs.fetch_add(1, SeqCst);
        if !over.load(SeqCst) {
            drop(heist::spawn_async(async move { flood(over, runs) }));
        }
    }
    let runs: [_; 2] = std::array::from_fn(|_| Arc::new(AtomicU32::new(0)));
    let (yields, times) = (Arc::clone(&over), Arc::clone(&runs[0]));
    pool.spawn_async(async move {
        while !yields.load(SeqCst) {
            times.fetch_add(1, SeqCst);
            let mut waited = false;
            poll_fn(|context| {
                context.waker().wake_by_ref();
                match std::mem::replace(&mut waited, true) {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                }
            })
            .await;
        }
    });
    let times = Arc::clone(&runs[1]);
    let flooding = pool.spawn_async(async move { flood(over, times) });
    until(|| runs.iter().all(|runs| runs.load(SeqCst) > 100));
    start.set(());
    fiber.get();
    flooding.get();
}

/// Uses all constructs at the same time, with waits of every kind.
#[test]
fn under_stress() {
    for threads in [1, 2, 3, 8] {
        let pool = pool(threads);
        let (sender, receiver) = channel(4);
        let barrier = Arc::new(Barrier::new(40));
        let total = Arc::new(Mutex::new(0_u64));
        let tasks: Vec<_> = (0..40_u64)
            .map(|i| {
                let (sender, receiver) = (sender.clone(), receiver.clone());
                let (barrier, total) = (Arc::clone(&barrier), Arc::clone(&total));
                pool.spawn_fiber(move || {
                    let home = here();
                    let own = Rc::new(RefCell::new(0_u64));
                    for round in 0..60 {
                        match (i + round) % 6 {
                            0 => give_way(),
                            1 => assert_eq!(fib(6), 8),
                            2 => {
                                let child = heist::spawn_fiber(move || {
                                    give_way();
                                    i
                                });
                                // A wait in this join blocks the thread.
                                let (a, ()) = heist::join(|| *child.get(), || ());
                                assert_eq!(a, i);
                            }
                            3 => heist::finish(|f| {
                                f.spawn_fiber(give_way);
                                f.spawn(|_| {
                                    heist::spawn_async(async {}).get();
                                });
                            }),
                            4 => *own.borrow_mut() += *heist::spawn_fiber(|| 0).get(),
                            _ => drop(heist::spawn_async(async {})),
                        }
                        sender.send(i).unwrap();
                        *own.borrow_mut() += receiver.recv().unwrap();
                        assert_eq!(here(), home);
                        if round % 20 == 0 {
                            barrier.wait();
                        }
                    }
                    *total.lock() += *own.borrow();
                    assert_eq!(Rc::strong_count(&own), 1);
                    assert_eq!(here(), home);
                })
            })
            .collect();
        for task in tasks {
            pool.install(|| {
                task.get();
            });
        }
        assert_eq!(*total.lock(), 60 * (0..40).sum::<u64>());
    }
}
