//! Checks sequences of the items of any iterator.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, pool};
use crate::par::prelude::*;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

/// Runs the test several times in pools of several sizes. The splitting policy has no effect on a bridge.
fn often(run: impl Fn() + Sync) {
    let rounds = if cfg!(miri) {
        1
    } else if cfg!(heist_brief) {
        5
    } else {
        20
    };
    for threads in super::POOLS {
        pool(*threads).install(|| (0..rounds).for_each(|_| run()));
    }
}

/// Returns an iterator with a `size_hint` that promises no length.
fn unsized_iter<T>(items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    items.filter(|_| true)
}

#[test]
fn is_in_order() {
    for &n in LENGTHS {
        let all = items(n);
        let kept: Vec<i64> = all.iter().copied().filter(|x| x % 3 == 0).collect();
        let text: String = all.iter().map(i64::to_string).collect();
        let floats = || all.iter().map(|x| 0.1 / *x as f64);
        let sum = pool(1).install(|| floats().par_bridge().filter(|x| x.is_finite()).sum::<f64>());
        often(|| {
            assert_eq!(all.iter().copied().par_bridge().collect::<Vec<_>>(), all);
            let ours = unsized_iter(all.iter().copied()).par_bridge();
            assert_eq!(ours.filter(|x| x % 3 == 0).collect::<Vec<_>>(), kept);
            let ours = all.iter().par_bridge().map(i64::to_string);
            assert_eq!(ours.reduce(String::new, |a, b| a + &b), text);
            let ours = unsized_iter(floats())
                .par_bridge()
                .filter(|x| x.is_finite());
            assert_eq!(ours.sum::<f64>().to_bits(), sum.to_bits());
            let nested = all
                .iter()
                .par_bridge()
                .flat_map(|x| (0..x % 4).par_bridge());
            assert_eq!(
                nested.count(),
                all.iter().map(|x| (x % 4).max(0) as usize).sum()
            );
            let nested = all.par().flat_map(|x| (0..x % 4).par_bridge());
            let must = all.iter().flat_map(|x| 0..x % 4);
            assert!(must.eq(nested.collect::<Vec<_>>()));
        });
    }
}

#[test]
fn ends_early() {
    often(|| {
        assert_eq!(
            (0..).par_bridge().find_first(|x| x % 1000 == 999),
            Some(999)
        );
        assert!(unsized_iter(0..).par_bridge().any(|x| x == 500));
        assert_eq!((0..500).par_bridge().find_last(|x| x % 7 == 0), Some(497));
        let failed = (0..)
            .par_bridge()
            .try_for_each(|x| if x < 300 { Ok(()) } else { Err(x) });
        assert_eq!(failed, Err(300));
    });
}

/// An item. The fields are the number of levels of work below the item, and the channel to which the item sends further items.
struct Work(u32, Sender<Work>);

/// Each item sends further items through a channel, so the processing of an item must not wait for the next item.
#[test]
fn items_may_make_items() {
    often(|| {
        let (send, receive) = channel();
        send.send(Work(9, send.clone())).unwrap();
        drop(send);
        let count = AtomicUsize::new(0);
        receive
            .into_iter()
            .par_bridge()
            .for_each(|Work(height, send)| {
                count.fetch_add(1, Relaxed);
                if height > 0 {
                    send.send(Work(height - 1, send.clone())).unwrap();
                    send.send(Work(height - 1, send.clone())).unwrap();
                }
            });
        assert_eq!(count.into_inner(), 1023);
    });
}

#[test]
fn iterators_may_run_loops_and_wait() {
    often(|| {
        let loops = (0..50_usize).map(|n| {
            if n % 10 == 0 {
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            (0..n * 100).par().map(|x| x % 7).sum::<usize>()
        });
        let must: Vec<usize> = loops.clone().collect();
        let ours = loops.par_bridge().map(|sum| (0..sum).par().count());
        assert_eq!(ours.collect::<Vec<_>>(), must);
    });
}

#[test]
fn items_are_dropped_once() {
    often(|| {
        for in_iterator in [false, true] {
            with_a_panic_at_each(|census: &Census, at| {
                let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
                let items = all.into_iter().inspect(|item| {
                    if in_iterator {
                        stop_at(at, item.value);
                    }
                });
                let items = items.par_bridge().inspect(|item| {
                    if !in_iterator {
                        stop_at(at, item.value);
                    }
                });
                let items: Vec<_> = items.filter(|item| item.value % 5 > 0).collect();
                assert!(
                    items
                        .iter()
                        .map(|item| item.value)
                        .eq((0..LEN).filter(|i| i % 5 > 0))
                );
            });
        }
    });
}

#[test]
fn of_panics_the_leftmost_wins() {
    let _quiet = super::panics::Quiet::new();
    often(|| {
        for (in_items, in_iterator) in [(40, 70), (70, 40), (0, 1), (99, 100), (100, 99)] {
            let items = || (0..200).inspect(|x| assert!(*x < in_iterator, "planted {x}"));
            let each = |x| assert!(x < in_items, "planted {x}");
            for outcome in [
                catch_unwind(|| items().par_bridge().for_each(each)),
                catch_unwind(|| unsized_iter(items()).par_bridge().for_each(each)),
            ] {
                let text = outcome.unwrap_err().downcast::<String>().unwrap();
                assert_eq!(*text, format!("planted {}", in_items.min(in_iterator)));
            }
        }
    });
}
