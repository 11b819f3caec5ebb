//! Worklists on every deque they have.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use heist::Pool;
use heist::worklist::{AtLeastOnce, DoubleEnded, ExactlyOnce, Fifo, Lifo, Queue, Worklist};

/// A tree of items: `n` begets `n / 2` and `n / 2 - 1`, down to 0.
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

/// Marks reachable vertices of a graph whose vertices have two successors each.
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
