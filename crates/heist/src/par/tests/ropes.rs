//! Compares operations that consume or return ropes with those of iterators and of slices.

use super::{LENGTHS, items, pool, ropes, under_all};
use crate::par::rope::tests::check_filled;
use crate::par::{DEFAULT_LEAF, Lazy, Rope, Splitting, prelude::*};

fn lengths<T>(rope: &Rope<T>) -> Vec<usize> {
    rope.leaves().map(<[T]>::len).collect()
}

/// Returns the lengths of the leaves of a rope of `len` items. All leaves but the last are full.
fn full(len: usize, leaf: usize) -> Vec<usize> {
    (0..len)
        .step_by(leaf)
        .map(|at| leaf.min(len - at))
        .collect()
}

#[test]
fn parallel_builds_fill_leaves() {
    for &len in LENGTHS {
        under_all!(|policy| for leaf in [1, 3, 16] {
            let all = (0..len).par().splitting(policy).collect_rope(leaf);
            assert_eq!(lengths(&all), full(len, leaf), "wherever parts begin");
            assert!(all.into_iter().eq(0..len));
            let pairs = (0..len / 2).par().splitting(policy).chain(len / 2..len);
            assert_eq!(lengths(&pairs.collect_rope(leaf)), full(len, leaf));
            let some = (0..len).par().splitting(policy).filter(|i| i % 3 != 1);
            let some = some.collect_rope(leaf);
            check_filled(&some);
            assert!(some.into_iter().eq((0..len).filter(|i| i % 3 != 1)));
        });
    }
    let most = LENGTHS[LENGTHS.len() - 1].min(257);
    under_all!(|policy| {
        let many = (0..most).par().splitting(policy);
        let many = many.flat_map(|i| 0..i % 7).collect_rope(5);
        check_filled(&many);
        assert!(many.into_iter().eq((0..most).flat_map(|i| 0..i % 7)));
    });
}

/// Calls the function with a rope of the same items. If `shared` is 0, this rope shares nothing with other ropes. If `shared` is 1, the
/// rope is a clone. Otherwise the rope shares a half with another rope.
fn owned(rope: &Rope<i64>, shared: usize, each: impl Fn(Rope<i64>)) {
    let copy = || {
        let leaves = rope.leaves();
        leaves.fold(Rope::with_leaf(rope.leaf_size()), |all, leaf| {
            all.link(leaf.par().copied().collect_rope(rope.leaf_size()))
        })
    };
    match shared {
        0 => each(copy()),
        1 => each(rope.clone()),
        _ => {
            let half = rope.len() / 2;
            each(rope.slice(..half).link(copy().slice(half..)));
        }
    }
}

/// Compares a chain of operations on a rope by value with the same chain on an iterator.
macro_rules! same_of_ropes {
    ($name:ident, |$xs:ident| $ours:expr, $theirs:expr) => {
        #[test]
        fn $name() {
            for len in [0, 1, 2, 17, 100] {
                let all = items(len);
                let theirs = {
                    let $xs = all.iter().copied();
                    $theirs
                };
                for rope in ropes(&all) {
                    under_all!(|policy| for shared in 0..3 {
                        owned(&rope, shared, |rope| {
                            let $xs = rope.into_par().splitting(policy);
                            assert_eq!($ours, theirs, "{len} items");
                        });
                    });
                    assert!(rope.iter().eq(&all));
                }
            }
        }
    };
}

same_of_ropes!(
    items_by_value,
    |xs| xs.collect::<Vec<i64>>(),
    xs.collect::<Vec<i64>>()
);
same_of_ropes!(
    items_by_value_from_behind,
    |xs| xs.rev().map(|x| 2 * x).collect::<Vec<i64>>(),
    xs.rev().map(|x| 2 * x).collect::<Vec<i64>>()
);
same_of_ropes!(
    parts_by_value,
    |xs| xs
        .skip(3)
        .step_by(2)
        .enumerate()
        .collect::<Vec<(usize, i64)>>(),
    xs.skip(3)
        .step_by(2)
        .enumerate()
        .collect::<Vec<(usize, i64)>>()
);
same_of_ropes!(
    strings_of_items_by_value,
    |xs| xs.fold_reduce(String::new, |s, x| s + &x.to_string(), |a, b| a + &b),
    xs.fold(String::new(), |s, x| s + &x.to_string())
);
same_of_ropes!(
    ropes_of_items_by_value,
    |xs| {
        let rope = xs.filter(|x| x % 3 != 0).collect_rope(4);
        check_filled(&rope);
        rope.into_iter().collect::<Vec<i64>>()
    },
    xs.filter(|x| x % 3 != 0).collect::<Vec<i64>>()
);

/// The leaves of the two ropes end in different places.
#[test]
fn two_ropes_by_value() {
    let all = items(100);
    let must: Vec<_> = all.iter().copied().zip(all.iter().copied()).collect();
    under_all!(|policy| for left in ropes(&all) {
        for right in ropes(&all) {
            let both = left.clone().into_par().zip(right);
            assert_eq!(both.splitting(policy).collect::<Vec<_>>(), must);
        }
    });
}

#[test]
fn nested_ropes_by_value() {
    let nested = |n: i64| -> Vec<Rope<i64>> {
        (0..n)
            .map(|i| items(i as usize).into_par().collect_rope(4))
            .collect()
    };
    let must: Vec<i64> = nested(30).into_iter().flatten().collect();
    under_all!(|policy| {
        let all = nested(30).into_par().splitting(policy).flatten();
        assert_eq!(all.collect::<Vec<_>>(), must);
    });
}

/// Compares the results of operations that split at random places, while thieves steal.
#[test]
fn long_ones_by_value() {
    let len: usize = if cfg!(miri) { 300 } else { 100_000 };
    let all: Vec<String> = (0..len).map(|i| i.to_string()).collect();
    for threads in [1, 2, 3, 8] {
        pool(threads).install(|| {
            let rope: Rope<String> = all.clone().into_par().collect();
            check_filled(&rope);
            assert!(rope.leaves().count() <= 1 + 2 * len / DEFAULT_LEAF);
            let kept = rope.slice(len / 3..len / 2);
            assert_eq!(rope.into_par().collect::<Vec<_>>(), all);
            assert_eq!(kept.into_par().collect::<Vec<_>>(), all[len / 3..len / 2]);
        });
    }
}

#[test]
fn ropes_are_extended() {
    under_all!(|policy| for rope in ropes(&items(40)) {
        for more in [0, 1, 60] {
            let (old, mut rope) = (rope.clone(), rope.clone());
            let new = items(more).into_par().splitting(policy);
            rope.par_extend(new.filter(|x| x % 2 == 0));
            let new = items(more).into_iter().filter(|x| x % 2 == 0);
            assert!(rope.iter().copied().eq(items(40).into_iter().chain(new)));
            assert!(old.into_iter().eq(items(40)));
            assert!(rope.is_balanced());
            check_filled(&rope);
        }
    });
}

#[test]
fn prefixes_as_ropes() {
    for &len in LENGTHS {
        let all = items(len);
        let sums = all.iter().scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        });
        let sums: Vec<i64> = sums.collect();
        under_all!(|policy| for leaf in [1, 4, 100] {
            let xs = || all.par().splitting(policy).copied();
            let ours = xs().inclusive_scan_rope(leaf, |a, b| a + b);
            assert_eq!(lengths(&ours), full(len, leaf));
            assert!(ours.iter().eq(&sums));
            let (before, last) = xs().exclusive_scan_rope(leaf, 0, |a, b| a + b);
            assert_eq!(lengths(&before), full(len, leaf));
            assert!(before.iter().eq([0].iter().chain(&sums).take(len)));
            assert_eq!(last, sums.last().copied().unwrap_or(0));
        });
    }
}

/// A pair of an item and a value that records the item's position.
type Pair = (i64, usize);

#[test]
fn ropes_are_sorted() {
    let len = if cfg!(miri) { 30 } else { 3000 };
    let pairs: Vec<Pair> = items(len).into_iter().zip(0..).collect();
    let sorted = |order: &dyn Fn(&mut [Pair])| {
        let mut pairs = pairs.clone();
        order(&mut pairs);
        pairs
    };
    let descending = |a: &Pair, b: &Pair| b.0.cmp(&a.0);
    for threads in [1, 3] {
        pool(threads).install(|| {
            let rope = pairs.par().copied().collect_rope(7);
            let check = |ours: Rope<Pair>, theirs: Vec<Pair>| {
                check_filled(&ours);
                assert_eq!(ours.leaf_size(), 7);
                assert!(ours.into_iter().eq(theirs));
            };
            check(rope.clone().par_sorted(), sorted(&|v| v.sort()));
            check(rope.clone().par_sorted_unstable(), sorted(&|v| v.sort()));
            check(
                rope.clone().par_sorted_by(descending),
                sorted(&|v| v.sort_by(descending)),
            );
            let by_key = sorted(&|v| v.sort_by_key(|pair| pair.0));
            check(
                rope.clone().par_sorted_by_key(|pair| pair.0),
                by_key.clone(),
            );
            check(rope.clone().par_sorted_by_cached_key(|pair| pair.0), by_key);
            let keys = |pairs: Vec<Pair>| pairs.into_iter().map(|pair| pair.0);
            let by = rope.clone().par_sorted_unstable_by(descending);
            assert!(keys(by.into()).eq(keys(sorted(&|v| v.sort_by(descending)))));
            let by_key = rope.clone().par_sorted_unstable_by_key(|pair| pair.0);
            assert!(keys(by_key.into()).eq(keys(sorted(&|v| v.sort()))));
            assert!(rope.iter().eq(&pairs));
        });
    }
}

#[test]
fn items_without_a_size() {
    let len = if cfg!(miri) { 20 } else { 1500 };
    under_all!(|policy| {
        let rope = (0..len).par().splitting(policy).map(|_| ()).collect_rope(7);
        check_filled(&rope);
        assert_eq!(rope.len(), len);
        assert_eq!(rope.par().splitting(policy).count(), len);
        let last = rope.par().splitting(policy).enumerate().rev();
        assert_eq!(
            last.find_first(|_| true),
            len.checked_sub(1).map(|at| (at, &()))
        );
        assert_eq!(rope.clone().into_par().splitting(policy).count(), len);
        let pairs = rope.into_par().zip(0..len).splitting(policy);
        assert!(
            pairs
                .map(|((), i)| i)
                .collect_rope(5)
                .into_iter()
                .eq(0..len)
        );
    });
}

/// Returns the results of all kinds of float reductions as bits. The reductions run on the rope by reference and by value.
macro_rules! reductions {
    ($xs:expr, $policy:expr) => {{
        let xs = || $xs.splitting($policy);
        let (before, all) = xs().exclusive_scan_rope(20, 1.0, |a, b| a + b);
        let mut bits: Vec<u64> = [
            xs().sum::<f64>(),
            xs().map(|x| 1.0 + x / 1e3).product::<f64>(),
            xs().reduce(|| 0.0, |a, b| a + b),
            xs().reduce_with(|a, b| a + b).unwrap_or(-1.0),
            xs().fold_reduce(|| 0.0, |a, x| a + x, |a, b| a + b),
            xs().filter(|x| *x < 0.01).sum::<f64>(),
            all,
        ]
        .map(f64::to_bits)
        .into();
        let scans = [xs().inclusive_scan(|a, b| a + b), before.into()];
        bits.extend(scans.iter().flatten().map(|x: &f64| x.to_bits()));
        let as_rope = xs().inclusive_scan_rope(100, |a, b| a + b);
        assert!(
            as_rope
                .iter()
                .map(|x| x.to_bits())
                .eq(scans[0].iter().map(|x| x.to_bits()))
        );
        bits
    }};
}

fn values(len: usize) -> Vec<f64> {
    let value = |i| 1.0 / (1.0 + (i * 7919 % len) as f64);
    (0..len).map(value).collect()
}

fn of_slice(xs: &[f64], policy: impl Splitting) -> Vec<u64> {
    let exclusive = xs.par().copied().splitting(policy);
    let (before, all) = exclusive.exclusive_scan(1.0, |a, b| a + b);
    let bits = reductions!(xs.par().copied(), policy);
    let end = bits.len() - before.len();
    assert!(
        before
            .iter()
            .map(|x| x.to_bits())
            .eq(bits[end..].iter().copied())
    );
    assert_eq!(bits[6], all.to_bits());
    bits
}

fn of_rope(xs: &Rope<f64>, policy: impl Splitting) -> [Vec<u64>; 2] {
    [
        reductions!(xs.par().copied(), policy),
        reductions!(xs.clone().into_par(), policy),
    ]
}

/// Returns ropes of the same floats in leaves of many lengths.
fn float_ropes(xs: &[f64]) -> Vec<Rope<f64>> {
    let (start, end) = xs.split_at(xs.len() / 3);
    let uneven = (0..).scan(0, |at, i| {
        let start = *at;
        *at += 1 + i * 5 % 13;
        (start < xs.len()).then(|| xs[start..(*at).min(xs.len())].to_vec())
    });
    let uneven = uneven.fold(Rope::with_leaf(13), |rope, leaf| {
        rope.link(Rope::from(leaf))
    });
    vec![
        xs.to_vec().into(),
        xs.par().copied().collect_rope(7),
        Rope::from(start.to_vec()).link(end.par().copied().collect_rope(100)),
        uneven,
    ]
}

#[test]
fn floats_of_ropes_have_the_bits_of_slices() {
    let lens: &[usize] = if cfg!(miri) {
        &[0, 17]
    } else if cfg!(debug_assertions) {
        &[0, 1, 100, 4097]
    } else {
        &[0, 1, 5, 100, 1025, 4097]
    };
    for &len in lens {
        let xs = values(len);
        let must = pool(1).install(|| of_slice(&xs, crate::par::Eager(usize::MAX)));
        let ropes = float_ropes(&xs);
        under_all!(|policy| for rope in &ropes {
            for ours in of_rope(rope, policy) {
                assert_eq!(ours, must, "{len} items");
            }
        });
    }
}

#[test]
fn floats_of_ropes_are_the_same_on_any_number_of_workers() {
    let xs = values(if cfg!(miri) {
        300
    } else if cfg!(debug_assertions) {
        20_000
    } else {
        60_000
    });
    let must = pool(1).install(|| of_slice(&xs, Lazy));
    let ropes = float_ropes(&xs);
    for threads in [1, 2, 3, 8, 64] {
        pool(threads).install(|| {
            assert_eq!(of_slice(&xs, Lazy), must);
            for rope in &ropes {
                for ours in of_rope(rope, Lazy) {
                    assert_eq!(ours, must, "{threads} workers");
                }
            }
        });
    }
}
