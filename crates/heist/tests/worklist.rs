//! Checks worklists with each kind of deque.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use heist::Pool;
use heist::worklist::{
    self, AtLeastOnce, DoubleEnded, ExactlyOnce, Fifo, Lifo, Progress, Queue, Worklist,
};

/// Processes a tree of items: each item `n` pushes `n / 2` and `n / 2 - 1`, down to 0.
fn tree<Q: Queue<u64>>(threads: usize, exactly: bool) {
    fn count(n: u64) -> u64 {
        if n == 0 {
            1
        } else {
            1 + count(n / 2) + if n > 1 { count(n / 2 - 1) } else { 0 }
        }
    }
    let pool = Pool::new(threads).unwrap();
    let sum = AtomicU64::new(0);
    let report = pool.install(|| {
        Worklist::<Q>::on().for_each([1_000_u64, 2_000, 3_000], |n, context| {
            sum.fetch_add(1, Ordering::Relaxed);
            if n > 0 {
                context.push(n / 2);
            }
            if n > 1 {
                context.push(n / 2 - 1);
            }
        })
    });
    let items: u64 = [1_000, 2_000, 3_000].into_iter().map(count).sum();
    assert_eq!(report.processed, sum.into_inner());
    assert!(!report.stopped);
    if exactly {
        assert_eq!(
            (report.processed, report.pushed, report.repeated),
            (items, items, 0)
        );
    } else {
        assert!(report.processed >= items, "{report:?}");
    }
}

#[test]
fn every_item_is_processed() {
    for threads in [1, 2, 3, 8] {
        for _ in 0..20 {
            tree::<(ExactlyOnce, DoubleEnded)>(threads, true);
            tree::<(ExactlyOnce, Lifo)>(threads, true);
            tree::<(ExactlyOnce, Fifo)>(threads, true);
            tree::<(AtLeastOnce, DoubleEnded)>(threads, false);
            tree::<(AtLeastOnce, Lifo)>(threads, false);
            tree::<(AtLeastOnce, Fifo)>(threads, false);
        }
    }
}

/// Marks the reachable vertices of a graph in which each vertex has two successors.
fn reach<Q: Queue<u32>>(threads: usize) {
    const N: u32 = 30_000;
    let marks: Vec<AtomicU32> = (0..N).map(|_| AtomicU32::new(0)).collect();
    let pool = Pool::new(threads).unwrap();
    pool.install(|| {
        Worklist::<Q>::on().for_each([1_u32], |v, context| {
            for next in [(v * 2) % N, (v * 2 + 1) % N] {
                if marks[next as usize].swap(1, Ordering::Relaxed) == 0 {
                    context.push(next);
                }
            }
        })
    });
    assert!(marks.iter().all(|mark| mark.load(Ordering::Relaxed) == 1));
}

#[test]
fn reachability() {
    for threads in [1, 2, 3, 8] {
        reach::<(ExactlyOnce, DoubleEnded)>(threads);
        reach::<(ExactlyOnce, Lifo)>(threads);
        reach::<(ExactlyOnce, Fifo)>(threads);
        reach::<(AtLeastOnce, DoubleEnded)>(threads);
        reach::<(AtLeastOnce, Lifo)>(threads);
        reach::<(AtLeastOnce, Fifo)>(threads);
    }
}

#[test]
fn no_seeds() {
    let report = worklist::for_each([0_u8; 0], |_, _| unreachable!("nothing to do"));
    assert_eq!(
        (report.processed, report.pushed, report.stopped),
        (0, 0, false)
    );
}

#[test]
fn seeds_are_drawn_once() {
    for threads in [1, 2, 8] {
        let drawn = AtomicU64::new(0);
        let seeds = (0..10_000_u64).inspect(|_| {
            drawn.fetch_add(1, Ordering::Relaxed);
        });
        let sum = AtomicU64::new(0);
        let pool = Pool::new(threads).unwrap();
        let report = pool.install(|| {
            worklist::for_each(seeds, |n, _| {
                sum.fetch_add(n, Ordering::Relaxed);
            })
        });
        assert_eq!((report.processed, drawn.into_inner()), (10_000, 10_000));
        assert_eq!(sum.into_inner(), 9_999 * 10_000 / 2);
        assert_eq!(report.members.len(), threads);
        assert_eq!(
            report
                .members
                .iter()
                .map(|member| member.processed)
                .sum::<u64>(),
            10_000
        );
    }
}

/// Every item pushes two more items. So the worklist never ends unless it is stopped.
#[test]
fn stopped_from_inside() {
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let calls = AtomicU64::new(0);
        let report = pool.install(|| {
            Worklist::new()
                .delivery(AtLeastOnce)
                .order(Lifo)
                .for_each([0_u32], |n, context| {
                    context.push(n + 1);
                    context.push(n + 1);
                    if calls.fetch_add(1, Ordering::Relaxed) == 10_000 {
                        context.stop();
                    }
                })
        });
        assert!(report.stopped);
        assert!(report.processed > 10_000, "{report:?}");
    }
}

/// A value that counts its drops.
struct Dropped(Arc<AtomicU64>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_panic_ends_the_loop_and_drops_the_remaining_items() {
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let drops = Arc::new(AtomicU64::new(0));
        let made = AtomicU64::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                let make = || {
                    made.fetch_add(1, Ordering::Relaxed);
                    Box::new(Dropped(Arc::clone(&drops)))
                };
                worklist::for_each([make()], |item, context| {
                    assert!(made.load(Ordering::Relaxed) < 5_000, "as planned");
                    context.push(make());
                    context.push(make());
                    drop(item);
                })
            })
        }));
        let payload = result.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"as planned"));
        assert_eq!(drops.load(Ordering::Relaxed), made.into_inner());
        // The pool still works.
        assert_eq!(pool.install(|| heist::join(|| 1, || 2)), (1, 2));
    }
}

#[test]
fn a_panic_of_the_seeds_comes_through() {
    let pool = Pool::new(3).unwrap();
    let seeds = (0..5_000_u32).inspect(|&n| assert!(n < 3_000, "no more"));
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| worklist::for_each(seeds, |_, _| {}))
    }));
    assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"no more"));
}

#[test]
fn closures_may_fork() {
    fn fib(n: u32) -> u64 {
        if n < 2 {
            return n.into();
        }
        let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let sum = AtomicU64::new(0);
        pool.install(|| {
            worklist::for_each([16_u32], |n, context| {
                sum.fetch_add(fib(n), Ordering::Relaxed);
                if n > 0 {
                    context.push(n - 1);
                    heist::finish(|scope| scope.spawn(|_| assert_eq!(fib(5), 5)));
                }
            })
        });
        assert_eq!(sum.into_inner(), (0..=16).map(fib).sum::<u64>());
    }
}

#[test]
fn worklists_in_worklists() {
    let pool = Pool::new(3).unwrap();
    let count = AtomicU64::new(0);
    pool.install(|| {
        worklist::for_each(0..20_u32, |n, _| {
            let report = worklist::for_each(0..n, |_, _| {});
            count.fetch_add(report.processed, Ordering::Relaxed);
        })
    });
    assert_eq!(count.into_inner(), 190);
}

#[test]
fn the_hook_is_told() {
    let told = Mutex::new(Vec::new());
    let hook = |progress: Progress| told.lock().unwrap().push(progress);
    let pool = Pool::new(2).unwrap();
    let report = pool.install(|| {
        Worklist::new()
            .on_progress(Duration::from_millis(1), &hook)
            .for_each(0..200_u32, |_, _| {
                std::thread::sleep(Duration::from_micros(100))
            })
    });
    let told = told.into_inner().unwrap();
    assert!(!told.is_empty() && told.len() <= 200, "{}", told.len());
    // Each report comes at least a millisecond after the previous report.
    let millis = told.last().unwrap().elapsed.as_millis() as usize;
    assert!(told.len() <= millis, "{} in {millis} ms", told.len());
    assert!(
        told.windows(2)
            .all(|pair| pair[0].elapsed <= pair[1].elapsed)
    );
    let last = told.last().unwrap();
    assert!(last.processed <= report.processed && last.left() <= 200);
}

/// Waits until `threads` workers have joined the worklist. Gives up 20 s after `since`.
fn until_all(workers: &Mutex<HashSet<usize>>, threads: usize, since: Instant) {
    while workers.lock().unwrap().len() < threads && since.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// All workers of the pool join the worklist, although no item pushes further items.
#[test]
fn a_flat_loop_runs_on_all() {
    for threads in [2, 4] {
        let pool = Pool::new(threads).unwrap();
        let (workers, since) = (Mutex::new(HashSet::new()), Instant::now());
        let report = pool.install(|| {
            worklist::for_each(0..400_u32, |_, context| {
                workers.lock().unwrap().insert(context.worker());
                std::thread::sleep(Duration::from_micros(200));
                until_all(&workers, threads, since);
            })
        });
        assert_eq!(workers.into_inner().unwrap().len(), threads, "{report:?}");
    }
}

/// The worklist does not call an iterator of seeds again after its end, even if the iterator would yield further items.
#[test]
fn seeds_end_once() {
    let mut asked = 0;
    let seeds = std::iter::from_fn(move || {
        asked += 1;
        (asked % 5 != 0).then_some(asked)
    });
    let report = Pool::new(2)
        .unwrap()
        .install(|| worklist::for_each(seeds, |_: u32, _| {}));
    assert_eq!(report.processed, 4);
}

/// Work that appears late reaches the other workers, although they have already returned to the pool.
#[test]
fn members_come_when_there_is_work() {
    let pool = Pool::new(2).unwrap();
    let (workers, since) = (Mutex::new(HashSet::new()), Instant::now());
    pool.install(|| {
        worklist::for_each([true], |first, context| {
            if first {
                // The sleep is longer than a member searches for items.
                std::thread::sleep(Duration::from_millis(5));
                for _ in 0..200 {
                    context.push(false);
                }
            } else {
                workers.lock().unwrap().insert(context.worker());
                std::thread::sleep(Duration::from_micros(100));
                until_all(&workers, 2, since);
            }
        })
    });
    assert_eq!(workers.into_inner().unwrap().len(), 2);
}
