//! Checks pinned fibers that run while other code waits on their thread.

use super::{give_way, here, pool, until};
use heist::Pool;
use heist::sync::{Future, Mutex, Promise, Semaphore, isolated, promise};
use std::cell::Cell;
use std::collections::HashMap;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// The only thread waits in a closure for a fiber that is pinned to this thread.
#[test]
fn run_on_top_of_a_wait_for_them() {
    let pool = pool(1);
    for round in 0..200 {
        let (start, go) = promise::<u32>();
        let begun = Arc::new(AtomicBool::new(false));
        let fiber = pool.spawn_fiber({
            let begun = Arc::clone(&begun);
            move || {
                let home = here();
                begun.store(true, SeqCst);
                give_way();
                let value = *go.get();
                assert_eq!(here(), home);
                // The fiber waits once more, while it runs on top of the closure.
                give_way();
                value
            }
        });
        until(|| begun.load(SeqCst));
        let (fiber, start) = (&fiber, Mutex::new(Some(start)));
        let set = || start.lock().take().unwrap().set(7);
        thread::scope(|scope| {
            pool.install(|| match round % 3 {
                0 => {
                    set();
                    assert_eq!(*fiber.get(), 7);
                }
                1 => {
                    scope.spawn(|| {
                        thread::sleep(Duration::from_millis(2));
                        set();
                    });
                    assert_eq!(*fiber.get(), 7);
                }
                _ => heist::finish(|f| {
                    f.spawn_async(async move { assert_eq!(*fiber.await, 7) });
                    set();
                }),
            });
        });
    }
}

/// One thread waits in a join. Another thread has stolen the right side of the join. The stolen side waits for a fiber that is pinned to
/// the first of these threads.
#[test]
fn run_on_top_of_a_join() {
    let pool = pool(2);
    for round in 0..200 {
        let homes: [_; 2] = std::array::from_fn(|_| Arc::new(Semaphore::new(0)));
        let (fibers, threads) = one_on_each_thread(&pool, &homes);
        pool.install(|| {
            let other = |id: ThreadId| usize::from(threads[0] == id);
            let stolen = AtomicBool::new(false);
            let first = here();
            let work = || {
                heist::join(
                    || until(|| stolen.load(SeqCst)),
                    || {
                        stolen.store(true, SeqCst);
                        assert_ne!(here(), first);
                        let of_first = other(here());
                        homes[of_first].release(1);
                        fibers[of_first].get();
                    },
                );
            };
            // A fiber that runs on top of an isolated section is not in this section.
            match round % 2 {
                0 => work(),
                _ => isolated(work),
            }
        });
        homes.iter().for_each(|home| home.release(1));
        fibers.iter().for_each(|fiber| {
            fiber.get();
        });
    }
}

type Fiber = heist::sync::Future<()>;

/// Returns two fibers that wait for a permit, and their threads. Each thread of the pool has one of the fibers.
fn one_on_each_thread(pool: &Pool, gates: &[Arc<Semaphore>; 2]) -> ([Fiber; 2], [ThreadId; 2]) {
    let begun = Arc::new(AtomicU32::new(0));
    let threads = Arc::new([const { std::sync::Mutex::new(None) }; 2]);
    let fibers = std::array::from_fn(|i| {
        let (begun, threads, gate) = (
            Arc::clone(&begun),
            Arc::clone(&threads),
            Arc::clone(&gates[i]),
        );
        pool.spawn_fiber(move || {
            let home = here();
            *threads[i].lock().unwrap() = Some(home);
            begun.fetch_add(1, SeqCst);
            // The loop occupies this thread, so that the second fiber begins on the other thread.
            until(|| begun.load(SeqCst) == 2);
            gate.acquire(1).keep();
            give_way();
            assert_eq!(here(), home);
        })
    });
    until(|| begun.load(SeqCst) == 2);
    let threads = std::array::from_fn(|i| threads[i].lock().unwrap().unwrap());
    (fibers, threads)
}

thread_local! {
    /// True while a join waits on this thread.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// A fiber runs during a thief's wait, and forks. The thief's victim must not run the forks of the fiber.
#[test]
fn their_forks_are_not_stolen_back() {
    const ROUNDS: u32 = 300;
    let pool = pool(2);
    let over = Arc::new(AtomicBool::new(false));
    let intruders = Arc::new(AtomicU32::new(0));
    let gates: [_; 2] = std::array::from_fn(|_| Arc::new(Semaphore::new(0)));
    let answers: [_; 2] = std::array::from_fn(|_| Arc::new(Semaphore::new(0)));
    let begun = Arc::new(AtomicU32::new(0));
    let homes = Arc::new(std::sync::Mutex::new(HashMap::new()));
    // Set when a fork can be stolen.
    let ready = Arc::new(AtomicBool::new(false));
    let fibers: [_; 2] = std::array::from_fn(|i| {
        let (gate, answer) = (Arc::clone(&gates[i]), Arc::clone(&answers[i]));
        let (over, intruders) = (Arc::clone(&over), Arc::clone(&intruders));
        let (begun, homes) = (Arc::clone(&begun), Arc::clone(&homes));
        let ready = Arc::clone(&ready);
        pool.spawn_fiber(move || {
            homes.lock().unwrap().insert(here(), i);
            begun.fetch_add(1, SeqCst);
            until(|| begun.load(SeqCst) == 2);
            loop {
                gate.acquire(1).keep();
                if over.load(SeqCst) {
                    return;
                }
                let spin = || {
                    ready.store(true, SeqCst);
                    let since = Instant::now();
                    while since.elapsed() < Duration::from_micros(50) {
                        spin_loop();
                    }
                };
                let home = here();
                heist::join(spin, || {
                    if here() != home && WAITS.get() {
                        intruders.fetch_add(1, SeqCst);
                    }
                });
                answer.release(1);
            }
        })
    });
    until(|| begun.load(SeqCst) == 2);
    let homes = homes.lock().unwrap().clone();
    for _ in 0..ROUNDS {
        pool.install(|| {
            ready.store(false, SeqCst);
            WAITS.set(true);
            heist::join(
                || {
                    while !ready.load(SeqCst) {
                        spin_loop();
                    }
                },
                || match homes.get(&here()) {
                    Some(&of_thief) => {
                        gates[of_thief].release(1);
                        answers[of_thief].acquire(1).keep();
                    }
                    // A spare thread has no fiber.
                    None => ready.store(true, SeqCst),
                },
            );
            WAITS.set(false);
        });
    }
    over.store(true, SeqCst);
    gates.iter().for_each(|gate| gate.release(1));
    fibers.iter().for_each(|fiber| {
        fiber.get();
    });
    assert_eq!(intruders.load(SeqCst), 0);
}

/// A value. The drop of the value reports that its thread unwinds, and waits for an answer.
struct Answered {
    tell: Option<Promise<u32>>,
    answer: Future<u32>,
    /// The promise that the drop sets when the answer has come.
    then: Option<Promise<u32>>,
}

impl Drop for Answered {
    fn drop(&mut self) {
        if let Some(tell) = self.tell.take() {
            tell.set(3);
        }
        assert_eq!(*self.answer.get(), 3);
        if let Some(then) = self.then.take() {
            then.set(5);
        }
    }
}

/// A fiber reaches the end of its scope while one of the scope's tasks is unfinished and a closure or a fiber unwinds.
#[test]
fn scopes_end_on_top_of_unwinding_code() {
    for unwinds_in_fiber in [false, true] {
        let pool = pool(1);
        let (tell, told) = promise::<u32>();
        let (answer, answered) = promise::<u32>();
        let begun = Arc::new(AtomicBool::new(false));
        let gate = Arc::new(Semaphore::new(0));
        let fiber = pool.spawn_fiber({
            let (begun, gate) = (Arc::clone(&begun), Arc::clone(&gate));
            move || {
                heist::finish(|f| {
                    f.spawn_async(async { gate.acquire_async(1).await.keep() });
                    begun.store(true, SeqCst);
                    answer.set(*told.get());
                });
                7
            }
        });
        until(|| begun.load(SeqCst));
        let waits = Answered {
            tell: Some(tell),
            answer: answered,
            then: None,
        };
        let unwind = move || -> u32 {
            let _waits = waits;
            panic!("planted");
        };
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            if unwinds_in_fiber {
                *pool.spawn_fiber(unwind).get()
            } else {
                pool.install(unwind)
            }
        }));
        assert!(unwound.is_err());
        gate.release(1);
        assert_eq!(*fiber.get(), 7);
    }
}

/// A fiber that waits while other code unwinds on its thread is suspended. So the unwinding code can end the wait.
#[test]
fn are_suspended_on_top_of_unwinding_code() {
    let pool = pool(1);
    let (tell, told) = promise::<u32>();
    let (answer, answered) = promise::<u32>();
    let (then, last) = promise::<u32>();
    let begun = Arc::new(AtomicBool::new(false));
    let fiber = pool.spawn_fiber({
        let begun = Arc::clone(&begun);
        move || {
            begun.store(true, SeqCst);
            answer.set(*told.get());
            *last.get()
        }
    });
    until(|| begun.load(SeqCst));
    let waits = Answered {
        tell: Some(tell),
        answer: answered,
        then: Some(then),
    };
    let bad = pool.spawn_fiber(move || -> u32 {
        let _waits = waits;
        panic!("planted");
    });
    assert!(catch_unwind(AssertUnwindSafe(|| *bad.get())).is_err());
    assert_eq!(*fiber.get(), 5);
}
