//! Checks that each item of a rope is dropped once. An item is cloned only if another rope shares it.

use super::drops::{Census, Counted, LEN, stop_at, with_a_panic_at_each};
use super::{pool, under_all};
use crate::par::rope::tests::check_filled;
use crate::par::{Rope, prelude::*};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A counted value that can be cloned, and may panic.
struct Twin<'c> {
    item: Counted<'c>,
    census: &'c Census,
    clones: &'c Clones,
}

#[derive(Default)]
struct Clones {
    made: AtomicUsize,
    /// The number of the value whose clone panics.
    planted: AtomicUsize,
}

impl Clone for Twin<'_> {
    fn clone(&self) -> Self {
        stop_at(self.clones.planted.load(Relaxed), self.item.value + 1);
        self.clones.made.fetch_add(1, Relaxed);
        twin(self.census, self.clones, self.item.value)
    }
}

fn twin<'c>(census: &'c Census, clones: &'c Clones, value: usize) -> Twin<'c> {
    Twin {
        item: census.bear(value),
        census,
        clones,
    }
}

/// Returns a rope of the values from 0 on, in leaves of 4 items. This function clones no value.
fn twins<'c>(census: &'c Census, clones: &'c Clones, len: usize) -> Rope<Twin<'c>> {
    let all = (0..len).par().map(|value| twin(census, clones, value));
    all.collect_rope(4)
}

#[test]
fn of_items_collected_into_a_rope() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all = (0..LEN).par().splitting(policy).map(|i| {
            let item = census.bear(i);
            stop_at(at, i);
            item
        });
        let rope = all.collect_rope(4);
        check_filled(&rope);
        assert!(rope.iter().map(|item| item.value).eq(0..LEN));
    }));
}

#[test]
fn of_items_filtered_into_a_rope() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let some = all.into_par().splitting(policy).filter(|item| {
            stop_at(at, item.value);
            item.value % 3 != 1
        });
        let rope = some.collect_rope(4);
        check_filled(&rope);
        let some = (0..LEN).filter(|i| i % 3 != 1);
        assert!(rope.iter().map(|item| item.value).eq(some));
    }));
}

#[test]
fn of_items_scanned_into_a_rope() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let all = (0..LEN).par().splitting(policy).map(|i| census.bear(i));
        let op = |a: &Counted<'_>, b: &Counted<'_>| {
            stop_at(at, b.value.min(LEN - 1));
            stop_at(at, a.value.min(LEN - 1));
            census.bear(a.value.max(b.value))
        };
        let (before, last) = all.exclusive_scan_rope(4, census.bear(0), op);
        check_filled(&before);
        let values = before.iter().map(|prefix| prefix.value);
        assert!(values.eq((0..LEN).map(|i| i.saturating_sub(1))));
        assert_eq!(last.value, LEN - 1);
    }));
}

/// No other rope shares this rope's leaves, so the operation clones no item.
#[test]
fn of_a_rope_by_value() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let clones = Clones::default();
        let rope = twins(census, &clones, LEN);
        let mapped = rope.into_par().splitting(policy).map(|twin| {
            stop_at(at, twin.item.value);
            twin
        });
        let values = mapped.map(|twin| twin.item.value).collect::<Vec<_>>();
        assert!(values.into_iter().eq(0..LEN));
        assert_eq!(clones.made.load(Relaxed), 0);
    }));
}

/// The rope is a part that was cut from another rope, so its arrays have items outside of the part. Another rope shares some of its leaves.
#[test]
fn of_a_rope_by_value_that_is_shared_in_part() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let clones = Clones::default();
        let more = twins(census, &clones, LEN + 5);
        let kept = more.slice(LEN / 3..LEN / 2);
        let rope = more.slice(2..LEN + 3);
        drop(more);
        let back = rope.into_par().splitting(policy).rev().map(|twin| {
            stop_at(at, twin.item.value - 2);
            twin
        });
        let back = back.collect_rope(3);
        check_filled(&back);
        let values = back.iter().map(|twin| twin.item.value);
        assert!(values.eq((2..LEN + 3).rev()));
        // Leaves below a shared node count as shared, although only one node refers to them.
        assert!(clones.made.load(Relaxed) >= kept.len());
        let values = kept.iter().map(|twin| twin.item.value);
        assert!(values.eq(LEN / 3..LEN / 2));
    }));
}

/// The operation moves a view's items if no other rope has the view's array, no matter where a policy cuts the view.
#[test]
fn of_views_by_value() {
    under_all!(
        |policy| for (start, end) in [(0, 3), (1, 4), (1, 3), (2, 9), (3, 11), (0, 12)] {
            let (census, clones) = (Census::default(), Clones::default());
            let rope = twins(&census, &clones, 12).slice(start..end);
            let twins: Vec<_> = rope.into_par().splitting(policy).collect();
            assert!(twins.iter().map(|twin| twin.item.value).eq(start..end));
            assert_eq!(clones.made.load(Relaxed), 0);
            drop(twins);
            census.assert_extinct();
        }
    );
}

#[test]
fn of_clones_that_panic() {
    let _quiet = super::panics::Quiet::new();
    under_all!(|policy| for planted in (0..LEN).step_by(7) {
        let (census, clones) = (Census::default(), Clones::default());
        let rope = twins(&census, &clones, LEN);
        clones.planted.store(planted + 1, Relaxed);
        let fails = |act: &dyn Fn()| catch_unwind(AssertUnwindSafe(act)).is_err();
        assert!(fails(&|| {
            let all = rope.clone().into_par().splitting(policy);
            all.for_each(drop);
        }));
        let before = census.alive();
        assert_eq!(before, LEN as isize);
        // Skipped items are not cloned.
        let rest = rope.clone().into_par().splitting(policy).skip(planted + 1);
        assert_eq!(rest.count(), LEN - planted - 1);
        clones.planted.store(0, Relaxed);
        assert!(rope.iter().map(|twin| twin.item.value).eq(0..LEN));
        drop(rope);
        census.assert_extinct();
    });
}

#[test]
fn of_a_rope_that_is_searched() {
    under_all!(|policy| with_a_panic_at_each(|census, at| {
        let clones = Clones::default();
        let rope = twins(census, &clones, LEN);
        let found = rope.into_par().splitting(policy).find_first(|twin| {
            stop_at(at, twin.item.value);
            twin.item.value == LEN - 1
        });
        assert_eq!(found.map(|twin| twin.item.value), Some(LEN - 1));
        assert_eq!(clones.made.load(Relaxed), 0);
    }));
}

#[test]
fn of_a_rope_that_nobody_asks() {
    let (census, clones) = (Census::default(), Clones::default());
    drop(twins(&census, &clones, LEN).into_par().enumerate());
    census.assert_extinct();
}

/// `par_extend` leaves the rope unchanged if the sequence panics.
#[test]
fn of_a_rope_that_is_extended() {
    let _quiet = super::panics::Quiet::new();
    under_all!(|policy| for at in [0, 1, LEN / 2, LEN - 1, LEN] {
        let (census, clones) = (Census::default(), Clones::default());
        let mut rope = twins(&census, &clones, 9);
        let more = (0..LEN).par().splitting(policy).map(|i| {
            let twin = twin(&census, &clones, 9 + i);
            stop_at(at, i);
            twin
        });
        let extended = catch_unwind(AssertUnwindSafe(|| rope.par_extend(more))).is_ok();
        assert_eq!(extended, at == LEN);
        let len = if extended { 9 + LEN } else { 9 };
        assert!(rope.iter().map(|twin| twin.item.value).eq(0..len));
        check_filled(&rope);
        assert_eq!(clones.made.load(Relaxed), 0);
        assert_eq!(census.alive(), len as isize);
        drop(rope);
        census.assert_extinct();
    });
}

#[test]
fn of_ropes_that_are_sorted() {
    for threads in [1, 3] {
        pool(threads).install(|| {
            with_a_panic_at_each(|census, at| {
                let clones = Clones::default();
                let rope = twins(census, &clones, LEN);
                let sorted = rope.par_sorted_by(|a, b| {
                    stop_at(at, a.item.value);
                    stop_at(at, b.item.value);
                    b.item.value.cmp(&a.item.value)
                });
                let values = sorted.iter().map(|twin| twin.item.value);
                assert!(values.eq((0..LEN).rev()));
                assert_eq!(clones.made.load(Relaxed), 0);
            });
        });
    }
}

/// Thieves take parts of long ropes.
#[test]
fn of_long_ropes_by_value() {
    let len = if cfg!(miri) { 200 } else { 50_000 };
    for threads in [2, 3, 8] {
        pool(threads).install(|| {
            let (census, clones) = (Census::default(), Clones::default());
            let rope: Rope<_> = (0..len)
                .par()
                .map(|value| twin(&census, &clones, value))
                .collect();
            let kept = rope.slice(len / 2..len / 2 + 1);
            let odd = rope.into_par().filter(|twin| twin.item.value % 2 == 1);
            let odd: Rope<_> = odd.collect();
            let values = odd.iter().map(|twin| twin.item.value);
            assert!(values.eq((1..len).step_by(2)));
            drop((odd, kept));
            census.assert_extinct();
        });
    }
}
