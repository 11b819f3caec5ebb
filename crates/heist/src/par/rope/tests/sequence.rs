//! Tests of the sequence traits, of threads, and of old versions.

use super::super::{DEFAULT_LEAF, MAX_LEAF, Rope};
use super::{check, rope_of};
use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::panic::catch_unwind;

fn hash<T: Hash>(rope: &Rope<T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    rope.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn the_same_items_in_other_leaves() {
    let (fine, coarse) = (rope_of(2, 0..100_u8), rope_of(30, 0..100_u8));
    assert_eq!(fine, coarse);
    assert_eq!(hash(&fine), hash(&coarse));
    assert_eq!(fine.cmp(&coarse), Ordering::Equal);
    let longer = fine.clone().concat(rope_of(2, [0]));
    assert_ne!(longer, coarse);
    assert!(longer > coarse && coarse.update(50, 0) < fine);
    assert_eq!(rope_of(3, [f64::NAN]).partial_cmp(&rope_of(3, [1.0])), None);
    let nan = rope_of(3, [f64::NAN]);
    assert_ne!(nan, nan.clone());
    assert_eq!(format!("{:?}", rope_of(2, 0..5)), "[0, 1, 2, 3, 4]");
    assert_eq!(format!("{:?}", rope_of(2, 0..3).leaves()), "[[0, 1], [2]]");
}

#[test]
fn empty_ropes() {
    let empty = Rope::<String>::default();
    assert!(empty.is_empty() && empty.is_balanced());
    assert_eq!((empty.len(), empty.depth(), empty.get(0)), (0, 0, None));
    assert_eq!((empty.first(), empty.last()), (None, None));
    assert!(empty.iter().next().is_none() && empty.leaves().next_back().is_none());
    let (first, rest) = empty.split2();
    assert!(first.concat(rest).is_empty());
    assert_eq!(empty.split_n(3), [const { Rope::new() }; 3]);
    assert!(Rope::<String>::cat_n([]).is_empty());
    assert!(Vec::from(empty.slice(..)).is_empty());
    assert!(Rope::from(Vec::<u8>::new()).root.is_none());
}

#[test]
fn old_versions_stay() {
    let mut versions: Vec<Rope<u32>> = vec![rope_of(4, 0..30)];
    for step in 0..30 {
        let last = versions.last().unwrap();
        let mut next = last.update(step as usize, 100 + step);
        next.push_back(200 + step);
        versions.push(next);
    }
    for (step, version) in versions.iter().enumerate() {
        check(version);
        let old = (0..30).map(|i| if i < step { 100 + i } else { i });
        let expected = old.chain((0..step).map(|i| 200 + i));
        assert!(version.iter().map(|&item| item as usize).eq(expected));
    }
}

#[test]
fn one_array_goes_through_as_it_is() {
    let items: Vec<u32> = (0..100).collect();
    let place = items.as_ptr();
    let items = Vec::from(Rope::from(items));
    assert_eq!(items.as_ptr(), place);
    let rope = Rope::from((0..5000).collect::<Vec<u32>>());
    assert_eq!(check(&rope).len(), 5000_usize.div_ceil(DEFAULT_LEAF));
    assert!(Vec::from(rope).into_iter().eq(0..5000));
}

#[test]
fn ropes_go_between_threads() {
    fn is_both<T: Send + Sync>() {}
    is_both::<Rope<String>>();
    is_both::<super::super::RopeBuilder<String>>();
    let rope = rope_of(3, 0..40);
    let parts: Vec<Rope<i32>> = std::thread::scope(|scope| {
        let double = |part: Rope<i32>| rope_of(3, part.into_iter().map(|item| 2 * item));
        let threads: Vec<_> = rope
            .split_n(4)
            .into_iter()
            .map(|part| scope.spawn(move || double(part)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let doubled = Rope::cat_n(parts);
    check(&doubled);
    assert!(doubled.into_iter().eq((0..40).map(|item| 2 * item)));
}

#[test]
fn ranges() {
    let rope = rope_of(3, 0..10);
    assert!(rope.slice(..).iter().eq(&rope));
    assert!(rope.slice(2..=4).into_iter().eq(2..5));
    let after = (std::ops::Bound::Excluded(7), std::ops::Bound::Unbounded);
    assert!(rope.slice(after).into_iter().eq(8..10));
    assert!(rope.slice(10..).is_empty());
    let refused: [fn(&Rope<i32>); 9] = [
        |rope| drop(rope.slice(..11)),
        #[expect(clippy::reversed_empty_ranges, reason = "to be refused")]
        |rope| drop(rope.slice(5..4)),
        |rope| drop(rope.slice(..=usize::MAX)),
        |rope| drop(rope.split_at(11)),
        |rope| drop(rope.split_n(0)),
        |rope| drop(rope.update(10, 0)),
        |rope| assert_eq!(rope[10], 0),
        |_| drop(Rope::<i32>::with_leaf(0)),
        |_| drop(Rope::<i32>::with_leaf(MAX_LEAF + 1)),
    ];
    // Miri takes seconds to print each message.
    for refused in refused.into_iter().skip(if cfg!(miri) { 8 } else { 0 }) {
        let rope = rope.clone();
        assert!(catch_unwind(move || refused(&rope)).is_err());
    }
}

#[test]
fn folds_run_in_order() {
    let rope = rope_of(3, 0..20);
    let mut iter = rope.iter();
    iter.next();
    iter.next_back();
    assert_eq!(iter.len(), 18);
    let forth = iter.clone().fold(Vec::new(), |mut seen, &item| {
        seen.push(item);
        seen
    });
    let mut back = iter.rfold(Vec::new(), |mut seen, &item| {
        seen.push(item);
        seen
    });
    back.reverse();
    assert!(forth.iter().copied().eq(1..19));
    assert_eq!(forth, back);
}
