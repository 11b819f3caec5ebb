//! Checks `yield_now`, which yields to other tasks.

use heist::{Fibers, Pool, yield_now};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Yields until `holds` returns true. Returns the number of yields.
fn spin_until(holds: impl Fn() -> bool) -> usize {
    let since = Instant::now();
    let mut yields = 0;
    while !holds() {
        yield_now();
        yields += 1;
        assert!(since.elapsed() < Duration::from_secs(20), "{yields} yields");
    }
    yields
}

/// Each task of a chain spins until the task behind it has run. With one worker, all tasks must have begun before the first task
/// can end.
#[test]
fn a_task_that_is_spun_for_runs() {
    for threads in [1, 2, 8] {
        for length in [1, 2, 3, 20] {
            let pool = Pool::new(threads).unwrap();
            let flags: Arc<Vec<_>> =
                Arc::new((0..=length).map(|_| AtomicBool::new(false)).collect());
            let tasks: Vec<_> = (0..=length)
                .map(|i| {
                    let flags = flags.clone();
                    pool.spawn(move || {
                        if i < length {
                            spin_until(|| flags[i + 1].load(Ordering::Acquire));
                        }
                        flags[i].store(true, Ordering::Release);
                        i
                    })
                })
                .collect();
            let ran: Vec<_> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
            assert_eq!(ran, (0..=length).collect::<Vec<_>>());
        }
    }
}

/// A task spins and yields. While the task spins, the tasks and forks that it has left in its worker's deques run.
#[test]
fn its_own_tasks_and_forks_run() {
    let pool = Pool::new(1).unwrap();
    let flag = AtomicBool::new(false);
    let set = || flag.store(true, Ordering::Release);
    pool.install(|| {
        let (spins, ()) = heist::join(|| spin_until(|| flag.load(Ordering::Acquire)), set);
        assert!(spins > 0);
        flag.store(false, Ordering::Release);
        heist::finish(|scope| {
            scope.spawn(|_| set());
            spin_until(|| flag.load(Ordering::Acquire));
        });
        flag.store(false, Ordering::Release);
    });
    let shared = Arc::new(AtomicBool::new(false));
    let set = shared.clone();
    pool.install(|| {
        let task = heist::sync::future(move || set.store(true, Ordering::Release));
        spin_until(|| shared.load(Ordering::Acquire));
        task.get();
    });
}

/// In rayon, a task that yields runs other tasks on its own stack. If the tasks on top yield, too, the stack overflows.
#[test]
fn many_that_yield_to_each_other_do_not_nest() {
    for threads in [1, 2, 8] {
        let pool = Pool::builder()
            .threads(threads)
            .stack_size(64 << 10)
            .build()
            .unwrap();
        let done = Arc::new(AtomicUsize::new(0));
        const TASKS: usize = 2000;
        for _ in 0..TASKS {
            let done = done.clone();
            pool.spawn_detached(move || {
                for _ in 0..5 {
                    yield_now();
                }
                done.fetch_add(1, Ordering::SeqCst);
            });
        }
        drop(pool);
        assert_eq!(done.load(Ordering::SeqCst), TASKS);
    }
}

#[test]
fn fibers_take_turns() {
    // SAFETY: the fibers keep no value that belongs to a thread across a yield.
    let pool = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) };
    let pool = pool.build().unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let begin = Arc::new(AtomicBool::new(false));
    let fibers: Vec<_> = (0..3)
        .map(|id| {
            let (log, begin) = (log.clone(), begin.clone());
            pool.spawn_fiber(move || {
                while !begin.load(Ordering::Acquire) {
                    yield_now();
                }
                for _ in 0..4 {
                    log.lock().unwrap().push(id);
                    yield_now();
                }
            })
        })
        .collect();
    begin.store(true, Ordering::Release);
    for fiber in fibers {
        fiber.get();
    }
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 12);
    // After all fibers have begun, no fiber runs twice in a row while another one has turns left.
    let all_begun = (0..3)
        .map(|id| log.iter().position(|&of| of == id).unwrap())
        .max()
        .unwrap();
    let first_end = (0..3)
        .map(|id| log.iter().rposition(|&of| of == id).unwrap())
        .min()
        .unwrap();
    let among = &log[all_begun..first_end.max(all_begun)];
    assert!(among.windows(2).all(|pair| pair[0] != pair[1]), "{log:?}");
}

/// A task holds a lock while it yields, and a second task waits for this lock. The first task still continues.
#[test]
fn a_lock_may_be_held_meanwhile() {
    let pool = Pool::new(1).unwrap();
    let lock = Arc::new(Mutex::new(0));
    let begun = Arc::new(AtomicBool::new(false));
    let (first, waits) = (lock.clone(), begun.clone());
    let holder = pool.spawn(move || {
        let mut held = first.lock().unwrap();
        while !waits.load(Ordering::Acquire) {
            yield_now();
        }
        for _ in 0..10 {
            yield_now();
        }
        *held += 1;
    });
    let second = lock.clone();
    let asker = pool.spawn(move || {
        begun.store(true, Ordering::Release);
        *second.lock().unwrap() += 1;
    });
    holder.join().unwrap();
    asker.join().unwrap();
    assert_eq!(*lock.lock().unwrap(), 2);
}

/// `yield_now` returns immediately if no thread can take the slot. Queued tasks run afterwards.
#[test]
fn without_spares_it_comes_back() {
    let pool = Pool::builder().threads(1).spare_threads(0).build().unwrap();
    let ran = Arc::new(AtomicBool::new(false));
    let run = ran.clone();
    let before = ran.clone();
    let first = pool.spawn(move || {
        let since = Instant::now();
        for _ in 0..100 {
            yield_now();
        }
        assert!(since.elapsed() < Duration::from_secs(10));
        before.load(Ordering::SeqCst)
    });
    let second = pool.spawn(move || run.store(true, Ordering::SeqCst));
    first.join().unwrap();
    second.join().unwrap();
    assert!(ran.load(Ordering::SeqCst));
}

#[test]
fn elsewhere_it_does_no_harm() {
    yield_now();
    let pool = Pool::builder().threads(1).start_handler(|_| yield_now());
    let pool = pool.build().unwrap();
    let queued = pool.install(|| {
        let queued = heist::spawn(|| 1);
        heist::sync::isolated(yield_now);
        assert!(!queued.is_finished(), "an isolated section lets nobody in");
        queued
    });
    assert_eq!(queued.join().unwrap(), 1);
    assert_eq!(pool.spawn_async(async { yield_now() }).get(), &());
}
