//! Checks sequences that report their progress.

use heist::Pool;
use heist::par::prelude::*;
use heist::par::{Eager, Innermost, Lazy, Rope, Structural, Tary};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The sum of the reported numbers, and the number of reports.
#[derive(Default)]
struct Told {
    sum: AtomicUsize,
    calls: AtomicUsize,
}

impl Told {
    fn tell(&self, count: usize) {
        assert!(count > 0);
        self.sum.fetch_add(count, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> (usize, usize) {
        (
            self.sum.swap(0, Ordering::Relaxed),
            self.calls.swap(0, Ordering::Relaxed),
        )
    }
}

fn in_pools(test: impl Fn(&Told) + Sync) {
    for threads in [1, 2, 8] {
        let told = Told::default();
        Pool::new(threads).unwrap().install(|| test(&told));
    }
}

const LEN: usize = if cfg!(miri) { 300 } else { 20_000 };

/// The reported numbers add up to the number of positions, and the results are the same as without reports.
#[test]
fn all_of_it_is_told_once() {
    in_pools(|told| {
        let xs: Vec<u64> = (0..LEN as u64).collect();
        let tell = |count| told.tell(count);
        let sum: u64 = xs.iter().sum();
        macro_rules! all {
            ($($by:expr),*) => {$(
                assert_eq!(xs.par().splitting($by).progress(tell).sum::<u64>(), sum);
                assert_eq!(told.take().0, LEN);
                let kept: Vec<u64> = xs.par().splitting($by).progress(tell).filter(|x| **x % 3 == 0).copied().collect();
                assert!(kept.iter().copied().eq((0..LEN as u64).step_by(3)));
                assert_eq!(told.take().0, LEN);
                // `progress` is between adapters that keep positions.
                let pairs = xs.par().splitting($by).progress(tell).zip(&xs).map(|(a, b)| a + b);
                assert_eq!(pairs.collect::<Vec<_>>(), xs.iter().map(|x| 2 * x).collect::<Vec<_>>());
                assert_eq!(told.take().0, LEN);
                let back = xs.par().splitting($by).progress(tell).rev().enumerate();
                assert!(back.all(|(at, x)| at + *x as usize + 1 == LEN));
                assert_eq!(told.take().0, LEN);
                let flat = xs.par().splitting($by).progress(tell).flat_map_iter(|x| [*x, *x]);
                assert_eq!(flat.sum::<u64>(), 2 * sum);
                assert_eq!(told.take().0, LEN);
            )*};
        }
        all!(Lazy, Innermost, Eager(7), Eager(1000), Tary(3), Structural);
        let rope: Rope<u64> = xs.par().copied().collect_rope(10);
        assert_eq!(rope.par().progress(tell).copied().sum::<u64>(), sum);
        assert_eq!(told.take().0, LEN);
        // If a filter comes first, the reports still count positions.
        assert_eq!(xs.par().filter(|x| **x < 10).progress(tell).count(), 10);
        assert_eq!(told.take().0, LEN);
        assert_eq!((0..0).par().progress(tell).count(), 0);
        assert_eq!(told.take(), (0, 0));
    });
}

/// A report covers many positions if items are cheap.
#[test]
fn calls_are_few() {
    in_pools(|told| {
        let sum: u64 = (0..1_000_000_u64)
            .par()
            .progress(|count| told.tell(count))
            .sum();
        assert_eq!(sum, 499_999_500_000);
        let (all, calls) = told.take();
        assert_eq!(all, 1_000_000);
        assert!(calls < 20_000, "{calls}");
    });
}

/// An expensive item is reported as soon as it is done, not together with many items.
#[test]
fn heavy_items_are_told_of_as_they_go() {
    let told = Told::default();
    let most_behind = AtomicUsize::new(0);
    let begun = AtomicUsize::new(0);
    Pool::new(1).unwrap().install(|| {
        let items = (0..200_u32).par().progress(|count| told.tell(count));
        items.for_each(|_| {
            let before = begun.fetch_add(1, Ordering::Relaxed);
            let behind = before - told.sum.load(Ordering::Relaxed);
            most_behind.fetch_max(behind, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_micros(200));
        });
    });
    assert_eq!(told.take().0, 200);
    assert!(most_behind.into_inner() < 100);
}

#[test]
fn an_early_end_reports_at_most_the_length() {
    in_pools(|told| {
        let found = (0..LEN)
            .par()
            .progress(|count| told.tell(count))
            .find_first(|x| *x == LEN / 2);
        assert_eq!(found, Some(LEN / 2));
        let (sum, _) = told.take();
        assert!((LEN / 2..=LEN).contains(&sum), "{sum}");
    });
}

#[test]
fn a_panic_is_told_of_by_none() {
    in_pools(|told| {
        for zipped in [false, true] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let items = (0..LEN)
                    .par()
                    .splitting(Eager(LEN))
                    .progress(|count| told.tell(count));
                let check = |x: usize| assert!(x != LEN - 1, "planted");
                if zipped {
                    items.zip(0..LEN).for_each(|(x, _)| check(x));
                } else {
                    items.for_each(check);
                }
            }));
            assert!(caught.is_err());
            assert!(told.take().0 < LEN);
        }
        // A panic of the reporting function itself also goes to the caller.
        let caught = catch_unwind(|| (0..LEN).par().progress(|_| panic!("told")).count());
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"told"));
    });
}
