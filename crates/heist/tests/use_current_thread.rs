//! Checks pools in which a thread of the program is a worker.

use heist::par::prelude::*;
use heist::sync::{channel, future, promise};
use heist::{BuildError, Pool, current_worker_index};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

const N: u32 = if cfg!(miri) { 6 } else { 18 };
const FIB: u64 = if cfg!(miri) { 8 } else { 2584 };

#[test]
fn this_thread_works() {
    for threads in [1, 2, 8] {
        let here = thread::current().id();
        let started = Arc::new(AtomicUsize::new(0));
        let start = started.clone();
        let builder = Pool::builder()
            .threads(threads)
            .start_handler(move |index| {
                assert_ne!(index, 0);
                start.fetch_add(1, Ordering::SeqCst);
            });
        let all = builder.use_current_thread(|pool| {
            assert_eq!(pool.threads(), threads);
            assert_eq!(current_worker_index(), Some(0));
            // On a worker of the pool, `install` is a plain call.
            assert_eq!(pool.install(|| thread::current().id()), here);
            assert_eq!((fib(N), pool.install(|| fib(N))), (FIB, FIB));
            let squares: Vec<u64> = (0..10_000_u64).par().map(|x| x * x).collect();
            assert_eq!(squares[99], 9801);
            let mut sums = [0; 50];
            heist::finish(|f| {
                for (i, sum) in sums.iter_mut().enumerate() {
                    f.spawn(move |_| *sum = i);
                }
            });
            assert!(sums.into_iter().eq(0..50));
            let waits = future(|| 7);
            assert_eq!(*waits.get(), 7);
            assert_eq!(heist::spawn(|| 8).join().unwrap(), 8);
            assert_eq!(
                pool.broadcast(|index| index),
                (0..threads).collect::<Vec<_>>()
            );
            if threads == 1 {
                assert_eq!(started.load(Ordering::SeqCst), 0, "nothing has had to wait");
            }
            threads
        });
        assert_eq!(all.unwrap(), threads);
        assert_eq!(current_worker_index(), None);
        // The same thread can later become a worker again.
        assert_eq!(
            Pool::builder()
                .threads(2)
                .use_current_thread(|_| fib(N))
                .unwrap(),
            FIB
        );
        assert_eq!(fib(N), FIB, "in the global pool");
    }
}

/// While the calling thread of `use_current_thread` waits, its slot is free, and another thread runs the queued jobs.
#[test]
fn another_thread_takes_its_place() {
    for threads in [1, 2] {
        let sum = Pool::builder().threads(threads).use_current_thread(|pool| {
            let (send, receive) = channel::<u32>(1);
            pool.spawn_detached(move || {
                for i in 0..5 {
                    send.send(i).unwrap();
                }
            });
            (0..5).map(|_| receive.recv().unwrap()).sum::<u32>()
        });
        assert_eq!(sum.unwrap(), 10);
    }
}

/// Queued tasks, waiting tasks, and tasks in the thread's own deques all end before the call of `use_current_thread` returns.
#[test]
fn tasks_that_are_left_end_before_the_call_returns() {
    for threads in [1, 2, 8] {
        for _ in 0..if cfg!(miri) { 1 } else { 20 } {
            let done = Arc::new(AtomicUsize::new(0));
            let count = |n: usize| {
                let done = done.clone();
                move || _ = done.fetch_add(n, Ordering::SeqCst)
            };
            let kept = Pool::builder().threads(threads).use_current_thread(|pool| {
                let (kept, comes) = promise::<usize>();
                pool.spawn_detached(count(1));
                drop(future(count(10)));
                let nested = count(100);
                drop(heist::spawn_async(async move {
                    drop(future(nested));
                }));
                let waits = count(1000);
                // This task ends long after the closure has ended.
                drop(heist::spawn_async(async move {
                    assert_eq!(comes.await, 5);
                    waits();
                }));
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(3));
                    kept.set(5);
                })
            });
            kept.unwrap().join().unwrap();
            assert_eq!(done.load(Ordering::SeqCst), 1111, "{threads} threads");
        }
    }
}

#[test]
fn a_panic_comes_after_the_end() {
    for threads in [1, 2] {
        let done = Arc::new(AtomicUsize::new(0));
        let end = done.clone();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            Pool::builder().threads(threads).use_current_thread(|pool| {
                pool.spawn_detached(move || {
                    assert!(!thread::panicking());
                    thread::sleep(Duration::from_millis(2));
                    end.fetch_add(1, Ordering::SeqCst);
                });
                panic!("planted");
            })
        }));
        let panic: Box<dyn std::any::Any + Send> = match caught {
            Ok(Ok(())) | Ok(Err(_)) => panic!("it panics"),
            Err(payload) => payload,
        };
        assert_eq!(panic.downcast_ref(), Some(&"planted"));
        assert_eq!(done.load(Ordering::SeqCst), 1);
        assert_eq!(current_worker_index(), None);
    }
}

#[test]
fn workers_and_refused_threads_are_errors() {
    let pool = Pool::new(1).unwrap();
    let inner = pool.install(|| Pool::builder().threads(1).use_current_thread(|_| ()));
    assert!(matches!(inner, Err(BuildError::AlreadyWorker)));
    let inner = Pool::builder()
        .threads(1)
        .use_current_thread(|_| Pool::builder().threads(1).use_current_thread(|_| ()));
    assert!(matches!(inner, Ok(Err(BuildError::AlreadyWorker))));
    let refuses = Pool::builder().threads(4).spawn_handler(|start| {
        if start.index() == 2 {
            return Err(std::io::Error::other("planted"));
        }
        thread::Builder::new().spawn(|| start.run()).map(drop)
    });
    let refused = refuses.use_current_thread(|_| ());
    assert!(
        matches!(refused, Err(BuildError::Spawn { started: 1, .. })),
        "{refused:?}"
    );
    assert_eq!(current_worker_index(), None);
}

/// Threads outside of the pool also give work to the pool. A pool on a worker thread of another pool works, too.
#[test]
fn others_use_the_pool_meanwhile() {
    for threads in [1, 2, 8] {
        let all = Pool::builder().threads(threads).use_current_thread(|pool| {
            let other = Pool::new(2).unwrap();
            thread::scope(|scope| {
                let outside: Vec<_> = (0..4)
                    .map(|_| scope.spawn(|| pool.install(|| fib(N))))
                    .collect();
                // This thread waits for another pool, so another thread takes its slot.
                let inside = other.install(|| pool.install(|| fib(N)));
                // The wait for a thread of the system does not give the slot away, so the other workers must run the jobs.
                if threads > 1 {
                    return outside
                        .into_iter()
                        .map(|thread| thread.join().unwrap())
                        .sum::<u64>()
                        + inside;
                }
                let (kept, comes) = promise();
                scope.spawn(move || {
                    let sum: u64 = outside
                        .into_iter()
                        .map(|thread| thread.join().unwrap())
                        .sum();
                    kept.set(sum);
                });
                *comes.get() + inside
            })
        });
        assert_eq!(all.unwrap(), 5 * FIB);
    }
}
