//! Tests of filters that gather the kept items by blocks.

use super::ways::mix;
use super::{items, pool};
use crate::par::prelude::*;
use crate::par::{Eager, Lazy};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Lengths near the ends of the first block, of a later block, and of several blocks.
const LENGTHS: &[usize] = if cfg!(miri) {
    &[300]
} else {
    &[0, 1, 15, 16, 17, 18, 271, 272, 273, 528, 529, 5000]
};

/// Returns masks for `len` items. The masks keep all items, no items, few items, nearly all items, every other item, or a random half of
/// the items. The last mask repeatedly keeps 300 items, a random half of 150 items, and none of 150 items, so blocks of different kinds
/// follow one another.
fn masks(len: usize) -> Vec<Vec<bool>> {
    let mask = |keep: &dyn Fn(usize) -> bool| (0..len).map(keep).collect();
    vec![
        mask(&|_| true),
        mask(&|_| false),
        mask(&|i| i % 40 == 3),
        mask(&|i| i % 40 != 3),
        mask(&|i| i % 2 == 0),
        mask(&|i| mix(i as u64) % 2 == 0),
        mask(&|i| i / 300 % 2 == 0 || (i / 150 % 2 == 0 && mix(i as u64) % 2 == 0)),
    ]
}

/// Checks that filters keep the right items, both when a sequence is processed in one chunk and when it is processed in several chunks.
fn check<T: Clone + PartialEq + Debug + Send + Sync>(make: impl Fn(usize) -> T + Sync) {
    for &len in LENGTHS {
        // Miri has time for only the last two masks.
        for mask in masks(len).into_iter().skip(if cfg!(miri) { 5 } else { 0 }) {
            let pairs: Vec<(bool, T)> = mask.iter().copied().zip((0..len).map(&make)).collect();
            let theirs: Vec<T> = (0..len).filter(|i| mask[*i]).map(&make).collect();
            macro_rules! same {
                ($policy:expr) => {
                    let called = AtomicUsize::new(0);
                    let all = || pairs.par().splitting($policy);
                    let kept = all().filter(|pair| {
                        called.fetch_add(1, Relaxed);
                        pair.0
                    });
                    let kept: Vec<&(bool, T)> = kept.collect();
                    assert!(kept.iter().map(|pair| &pair.1).eq(&theirs), "{len}");
                    assert_eq!(called.into_inner(), len);
                    // The items are passed by value, and appended to a vector that has items already.
                    let at = AtomicUsize::new(0);
                    let mut kept = vec![make(7)];
                    let values = pairs.par().map(|pair| pair.1.clone());
                    kept.par_extend(values.filter(|_| mask[at.fetch_add(1, Relaxed)]));
                    assert_eq!((&kept[0], &kept[1..]), (&make(7), &theirs[..]));
                };
            }
            pool(1).install(|| {
                same!(Lazy);
                same!(Eager(100));
            });
        }
    }
}

#[test]
fn light_ones() {
    check(|i| i as u8);
    check(|i| (i as u64, -(i as i64)));
}

#[test]
fn those_that_have_no_size() {
    check(|_| ());
}

#[test]
#[cfg_attr(miri, ignore = "long, and all of it safe")]
fn those_that_are_heavy_or_own_something() {
    check(|i| [i; 5]);
    check(|i| i.to_string());
}

#[test]
fn any_number_for_a_position() {
    let lengths: &[usize] = if cfg!(miri) {
        &[17]
    } else {
        &[1, 17, 40, 1000]
    };
    for &len in lengths {
        let all = items(len);
        for most in [0, 1, 3, 500] {
            let many = |x: &i64| (*x..x + most).filter(|y| y % 5 != 0);
            let theirs: Vec<i64> = all.iter().flat_map(many).filter(|y| y % 3 == 0).collect();
            pool(2).install(|| {
                let ours = all.par().flat_map_iter(many).filter(|y| y % 3 == 0);
                assert_eq!(ours.collect::<Vec<_>>(), theirs);
                let ours = all.par().splitting(Eager(usize::MAX));
                let ours = ours.flat_map_iter(many).filter(|y| y % 3 == 0);
                assert_eq!(ours.collect::<Vec<_>>(), theirs);
            });
        }
    }
}

#[test]
fn a_panic_ends_it() {
    let _quiet = super::panics::Quiet::new();
    for at in [0, 15, 16, 17, 100, 299] {
        let called = AtomicUsize::new(0);
        let all = (0..300_usize).par().splitting(Eager(usize::MAX));
        let kept = all.filter(|i| {
            called.fetch_add(1, Relaxed);
            assert!(*i != at, "planted");
            i % 2 == 0
        });
        assert!(catch_unwind(AssertUnwindSafe(|| kept.collect::<Vec<_>>())).is_err());
        assert_eq!(called.into_inner(), at + 1);
    }
}
