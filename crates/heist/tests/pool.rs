//! Tests of pools: their builders, handlers, faults, and shutdown.

use heist::par::prelude::*;
use heist::{BuildError, Idle, IdlePolicy, Pool};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

const SMALL: bool = cfg!(miri);
/// The argument of the `fib` that tests the pools.
const N: u64 = if SMALL { 5 } else { 12 };
const FIB_N: u64 = if SMALL { 5 } else { 144 };

/// Returns the number of rounds. The number is small under Miri, which is about 1000 times slower.
fn rounds(most: usize) -> usize {
    if SMALL { 2 } else { most }
}

fn pool(threads: usize) -> Pool {
    Pool::new(threads).unwrap()
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Waits until `condition` returns true, but at most 20 s.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < Duration::from_secs(20), "never: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn zero_threads_means_the_default() {
    assert_eq!(pool(0).threads(), heist::default_threads().unwrap());
}

#[test]
fn absurd_requests_name_the_limit() {
    let error = Pool::new(100_000).unwrap_err();
    assert!(matches!(
        error,
        BuildError::TooManyThreads { asked: 100_000 }
    ));
    let text = error.to_string();
    assert!(text.contains("100000") && text.contains("4096"), "{text}");
    let error = Pool::builder().stack_size(usize::MAX).build().unwrap_err();
    assert!(matches!(error, BuildError::StackTooLarge { .. }));
    assert!(error.to_string().contains(&heist::MAX_STACK.to_string()));
}

/// Returns a builder that counts the threads that have started and not yet ended.
fn counted_threads(
    fail_at: usize,
    how: impl Fn(heist::ThreadStart) -> io::Result<()> + Send + Sync + 'static,
) -> (Result<Pool, BuildError>, Arc<AtomicUsize>) {
    let alive = Arc::new(AtomicUsize::new(0));
    let inside = Arc::clone(&alive);
    let built = Pool::builder()
        .threads(5)
        .spawn_handler(move |start| {
            if start.index() >= fail_at {
                return how(start);
            }
            let alive = Arc::clone(&inside);
            alive.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || {
                start.run();
                alive.fetch_sub(1, Ordering::SeqCst);
            });
            Ok(())
        })
        .build();
    (built, alive)
}

#[test]
fn a_thread_that_cannot_be_spawned_ends_the_others() {
    let refused = |_| Err(io::Error::from(io::ErrorKind::WouldBlock));
    for fail_at in if SMALL { 2..4 } else { 0..5 } {
        let (built, alive) = counted_threads(fail_at, refused);
        match built.unwrap_err() {
            BuildError::Spawn { started, source } => {
                assert_eq!(started, fail_at);
                assert_eq!(source.kind(), io::ErrorKind::WouldBlock);
            }
            other => panic!("{other}"),
        }
        eventually("the started threads end", || {
            alive.load(Ordering::SeqCst) == 0
        });
    }
}

#[test]
fn a_start_that_is_dropped_is_a_failure() {
    let (built, alive) = counted_threads(3, |start| {
        drop(start);
        Ok(())
    });
    let text = built.unwrap_err().to_string();
    assert!(text.contains("ThreadStart was dropped"), "{text}");
    eventually("the started threads end", || {
        alive.load(Ordering::SeqCst) == 0
    });
}

#[test]
fn a_spawn_handler_that_panics_is_a_failure() {
    let (built, _) = counted_threads(2, |_| panic!("planted"));
    let text = built.unwrap_err().to_string();
    assert!(text.contains("spawn handler panicked"), "{text}");
}

/// The pool still works if no thread is available for the slot of a waiter.
#[test]
fn spares_that_cannot_be_spawned_are_done_without() {
    for dropped in [false, true] {
        let refused = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&refused);
        let pool = Pool::builder()
            .threads(2)
            .spawn_handler(move |start| {
                if start.index() >= 2 {
                    count.fetch_add(1, Ordering::SeqCst);
                    return if dropped {
                        Ok(())
                    } else {
                        Err(io::Error::other("planted"))
                    };
                }
                std::thread::spawn(|| start.run());
                Ok(())
            })
            .build()
            .unwrap();
        let (mut round, since) = (0, Instant::now());
        // The test runs more rounds if the other side did not give its slot away in time.
        let is_open = |round: usize| {
            round < rounds(20)
                || (refused.load(Ordering::SeqCst) == 0 && since.elapsed().as_secs() < 20)
        };
        while is_open(round) {
            round += 1;
            let begun = AtomicBool::new(false);
            pool.install(|| {
                heist::join(
                    || eventually("b is stolen", || begun.load(Ordering::SeqCst)),
                    || {
                        begun.store(true, Ordering::SeqCst);
                        // The sleep is long enough for the other side to give its slot away.
                        std::thread::sleep(Duration::from_millis(2));
                        // The pool needs a thread for the other side's slot, because this call injects a job.
                        heist::spawn(|| 1).join().unwrap()
                    },
                )
            });
            assert_eq!(pool.install(|| fib(N)), FIB_N, "round {round}");
        }
        assert!(refused.load(Ordering::SeqCst) > 0);
    }
}

#[test]
fn handlers_run_on_every_thread() {
    let started = Arc::new(Mutex::new(BTreeSet::new()));
    let ended = Arc::new(Mutex::new(BTreeSet::new()));
    let (s, e) = (Arc::clone(&started), Arc::clone(&ended));
    let pool = Pool::builder()
        .threads(3)
        .name("crewman")
        .start_handler(move |index| {
            assert!(s.lock().unwrap().insert(index));
        })
        .exit_handler(move |index| {
            assert!(e.lock().unwrap().insert(index));
        })
        .build()
        .unwrap();
    let names = pool.broadcast(|index| {
        assert_eq!(heist::current_worker_index(), Some(index));
        std::thread::current().name().map(str::to_owned)
    });
    let expected: Vec<_> = (0..3).map(|i| Some(format!("crewman-{i}"))).collect();
    assert_eq!(names, expected);
    drop(pool);
    assert!(
        started
            .lock()
            .unwrap()
            .is_superset(&BTreeSet::from([0, 1, 2]))
    );
    // The drop of the pool joins its threads, so every handler has returned by now.
    assert_eq!(*started.lock().unwrap(), *ended.lock().unwrap());
}

#[test]
fn handlers_may_fork() {
    let results = Arc::new(Mutex::new(Vec::new()));
    let (at_start, at_exit) = (Arc::clone(&results), Arc::clone(&results));
    let pool = Pool::builder()
        .threads(2)
        .start_handler(move |index| {
            assert!(heist::current_worker_index().is_some());
            at_start.lock().unwrap().push((index, fib(N)));
        })
        .exit_handler(move |index| {
            // The thread is not a worker any more, so this call forks in the global pool.
            assert_eq!(heist::current_worker_index(), None);
            at_exit.lock().unwrap().push((index, fib(N)));
        })
        .build()
        .unwrap();
    assert_eq!(pool.install(|| fib(N)), FIB_N);
    drop(pool);
    let results = results.lock().unwrap();
    assert!(results.len() >= 4 && results.iter().all(|&(_, result)| result == FIB_N));
}

#[test]
fn panics_that_nobody_waits_for_go_to_the_handler() {
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let pool = Pool::builder()
        .threads(2)
        .start_handler(|index| assert_ne!(index, 1, "planted in a start handler"))
        .panic_handler(move |payload| sender.lock().unwrap().send(payload).unwrap())
        .build()
        .unwrap();
    let text = |payload: Box<dyn std::any::Any + Send>| match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    };
    let first = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(text(first).contains("planted in a start handler"));
    pool.spawn_detached(|| panic!("planted in a task"));
    let second = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(text(second).contains("planted in a task"));
    assert_eq!(pool.install(|| fib(N)), FIB_N);
}

#[test]
fn a_handle_gives_value_or_panic() {
    let pool = pool(2);
    assert_eq!(pool.spawn(|| fib(N)).join().unwrap(), FIB_N);
    let payload = pool.spawn(|| panic!("planted")).join().unwrap_err();
    assert_eq!(*payload.downcast::<&str>().unwrap(), "planted");
    // A worker drops the pool. The pool has tasks that no other worker could start.
    let single = self::pool(1);
    let tasks = if SMALL { 5 } else { 100 };
    let sum = single.install(|| {
        let handles: Vec<_> = (0..tasks).map(|i| heist::spawn(move || i)).collect();
        handles.into_iter().map(|h| h.join().unwrap()).sum::<i32>()
    });
    assert_eq!(sum, tasks * (tasks - 1) / 2);
}

#[test]
fn a_dropped_pool_finishes_its_tasks() {
    let done = Arc::new(AtomicUsize::new(0));
    let pool = pool(2);
    let tasks = if SMALL { 10 } else { 1000 };
    for _ in 0..tasks {
        let done = Arc::clone(&done);
        pool.spawn_detached(move || {
            done.fetch_add(1, Ordering::SeqCst);
        });
    }
    drop(pool);
    assert_eq!(done.load(Ordering::SeqCst), tasks);
}

#[test]
fn a_pool_can_be_dropped_anywhere() {
    // A worker of the pool itself drops the pool.
    let own = Arc::new(pool(2));
    let inner = Arc::clone(&own);
    let (sender, receiver) = mpsc::channel();
    own.spawn_detached(move || {
        receiver.recv().unwrap();
        drop(inner);
    });
    drop(own);
    sender.send(()).unwrap();
    // A worker of another pool drops the pool. A task of the dropped pool still needs its only slot.
    let outer = Arc::new(pool(1));
    let other = pool(1);
    let back = Arc::clone(&outer);
    let done = other.spawn(move || back.install(|| 7));
    outer.install(move || drop(other));
    assert_eq!(done.join().unwrap(), 7);
}

/// The only worker of one pool drops another pool. A worker of the dropped pool then drops a thread-local value. The drop of this
/// value needs the first pool.
#[test]
fn a_dropped_pools_threads_may_need_the_dropping_worker_as_they_end() {
    struct Last(Arc<Pool>, mpsc::Sender<i32>);
    impl Drop for Last {
        fn drop(&mut self) {
            self.1.send(self.0.install(|| 7)).unwrap();
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (sender, receiver) = mpsc::channel();
    let outer = Arc::new(pool(1));
    let back = Arc::clone(&outer);
    outer.install(move || {
        let other = pool(2);
        other.broadcast(|_| LAST.set(Some(Last(Arc::clone(&back), sender.clone()))));
        drop((other, sender));
        // The threads have ended.
        assert!(receiver.try_iter().eq([7, 7]));
    });
}

/// A worker that waits for another pool runs no tasks during the wait. So no task waits for a lock that the worker itself holds.
#[test]
fn a_lock_may_be_held_while_another_pool_works() {
    for threads in [1, 2, 8] {
        let (outer, driver) = (pool(threads), pool(2));
        let total = Mutex::new(0);
        let (rounds, items) = if SMALL { (2, 4) } else { (50, 64) };
        for _ in 0..rounds {
            outer.install(|| {
                (0..items)
                    .par()
                    .splitting(heist::par::Eager(1))
                    .for_each(|_| {
                        let mut total = total.lock().unwrap();
                        *total += driver.install(|| (0..100_u32).par().map(|_| 1).sum::<u32>());
                    });
            });
        }
        assert_eq!(total.into_inner().unwrap(), rounds * items * 100);
    }
}

#[test]
fn pools_call_each_other() {
    let (a, b) = (pool(1), pool(1));
    // Each level waits in the other pool. If waiters kept their slots, the program would deadlock at depth 2 with one thread in
    // each pool.
    fn bounce(here: &Pool, there: &Pool, depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        here.install(|| bounce(there, here, depth - 1)) + 1
    }
    let depth = if SMALL { 4 } else { 20 };
    assert_eq!(bounce(&a, &b, depth), depth);
    // Scopes and joins wait across pools, and spare threads of each waiter's own pool take the waiters' slots.
    let sum = AtomicUsize::new(0);
    let calls = if SMALL { 4 } else { 100 };
    a.install(|| {
        b.finish(|f| {
            for i in 0..calls {
                let (a, sum) = (&a, &sum);
                f.spawn(move |_| {
                    sum.fetch_add(a.install(|| i), Ordering::Relaxed);
                });
            }
        });
    });
    assert_eq!(sum.into_inner(), calls * (calls - 1) / 2);
}

#[test]
fn broadcast_reaches_slots_of_waiters() {
    let pool = pool(2);
    for _ in 0..rounds(50) {
        let begun = AtomicBool::new(false);
        let (_, indices) = pool.install(|| {
            heist::join(
                || eventually("b is stolen", || begun.load(Ordering::SeqCst)),
                || {
                    begun.store(true, Ordering::SeqCst);
                    pool.broadcast(|index| index)
                },
            )
        });
        assert_eq!(indices, [0, 1]);
    }
}

#[test]
fn a_broadcast_wakes_each_sleeper_once() {
    let threads = if SMALL { 4 } else { 256 };
    let pool = pool(threads);
    eventually("all sleep", || {
        pool.counters().parks - pool.counters().wakes >= threads as u64
    });
    let before = pool.counters();
    for _ in 0..4 {
        assert_eq!(pool.broadcast(|_| ()).len(), threads);
    }
    let woken = (pool.counters() - before).wakes;
    assert!(woken <= 5 * threads as u64, "{woken} wake-ups");
}

#[test]
fn broadcast_panics_with_the_lowest_index_after_all_have_run() {
    let pool = pool(3);
    let ran = AtomicUsize::new(0);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.broadcast(|index| {
            ran.fetch_add(1, Ordering::SeqCst);
            assert_eq!(index, 0, "index {index}");
        })
    }));
    let payload = result.unwrap_err();
    assert!(payload.downcast::<String>().unwrap().contains("index 1"));
    assert_eq!(ran.into_inner(), 3);
    assert_eq!(pool.install(|| fib(N)), FIB_N);
}

#[test]
fn a_panic_leaves_the_pool_usable() {
    let pool = pool(2);
    for i in 0..if SMALL { 3 } else { 50 } {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            pool.install(|| {
                heist::join(
                    || heist::join(|| fib(5), || assert_ne!(i % 3, 0, "left")),
                    || heist::join(|| assert_ne!(i % 3, 1, "right"), || fib(5)),
                )
            })
        }));
        assert_eq!(result.is_err(), i % 3 != 2);
    }
    assert_eq!(pool.install(|| fib(N)), FIB_N);
}

#[test]
fn every_idle_policy_works() {
    for policy in [
        IdlePolicy::Adaptive,
        IdlePolicy::Sleep,
        IdlePolicy::SearchFor(Duration::from_micros(5)),
        IdlePolicy::SearchFor(Duration::MAX),
    ] {
        let pool = Pool::builder().threads(3).idle(policy).build().unwrap();
        for _ in 0..rounds(20) {
            assert_eq!(pool.install(|| fib(N)), FIB_N);
            std::thread::sleep(Duration::from_micros(300));
        }
    }
}

#[test]
fn pinned_workers_stay_on_one_cpu() {
    let pool = Pool::builder().threads(2).pin(true).build().unwrap();
    let allowed = pool.broadcast(|_| heist::allowed_cpus());
    if cfg!(all(target_os = "linux", not(miri))) {
        assert!(allowed.iter().all(|cpus| cpus.len() == 1), "{allowed:?}");
    }
    assert_eq!(pool.install(|| fib(N)), FIB_N);
}

#[test]
fn small_stacks_do() {
    let pool = Pool::builder().threads(2).stack_size(0).build().unwrap();
    assert_eq!(pool.install(|| fib(N)), FIB_N);
}

#[test]
fn workers_without_work_look_for_events() {
    let (events, arrived) = mpsc::channel::<u32>();
    let arrived = Mutex::new(arrived);
    let (results, sums) = mpsc::channel();
    let last_calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&last_calls);
    let pool = Pool::builder()
        .threads(2)
        .idle(IdlePolicy::SearchFor(Duration::from_micros(100)))
        .idle_poll(move |idle| {
            assert!(heist::current_worker_index().is_some());
            if idle == Idle::Sleeps {
                counted.fetch_add(1, Ordering::SeqCst);
            }
            let Ok(event) = arrived.lock().unwrap().try_recv() else {
                return false;
            };
            let results = results.clone();
            heist::spawn_detached(move || results.send(event + 1).unwrap());
            true
        })
        .build()
        .unwrap();
    for event in 0..rounds(1000) as u32 {
        // A worker that has just run a task searches, and then calls the function once more before it sleeps.
        events.send(event).unwrap();
        pool.install(|| ());
        assert_eq!(sums.recv(), Ok(event + 1));
    }
    eventually("a last call before a sleep", || {
        last_calls.load(Ordering::SeqCst) > 0
    });
}

#[test]
fn panics_of_an_idle_poll_go_to_the_handler() {
    let (panics, seen) = mpsc::channel();
    let polls = AtomicUsize::new(0);
    let pool = Pool::builder()
        .threads(1)
        .idle_poll(move |_| {
            assert!(
                polls.fetch_add(1, Ordering::Relaxed) != 1,
                "the second poll"
            );
            false
        })
        .panic_handler(move |payload| {
            let _ = panics.send(*payload.downcast::<&str>().unwrap());
        })
        .build()
        .unwrap();
    assert_eq!(seen.recv(), Ok("the second poll"));
    assert_eq!(pool.install(|| 7), 7);
}
