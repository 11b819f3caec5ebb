//! Checks that traversals can be paused and divided.

use super::super::Rope;
use super::super::tree::Tree;
use super::super::zipper::Zipper;
use super::rope_of;

/// Takes the remaining items, in steps of at most `step`.
fn drain<'a, T>(mut zipper: Zipper<'a, T>, step: usize) -> Vec<&'a T> {
    let mut taken = Vec::new();
    while zipper.len() > 0 {
        let front = zipper.front();
        assert!(!front.is_empty() && front.len() <= zipper.len());
        let (count, before) = (front.len().min(step), zipper.len());
        let next = zipper.take_front(count);
        assert!(std::ptr::eq(next, &front[..count]));
        assert_eq!(zipper.len(), before - count);
        taken.extend(next);
    }
    assert!(zipper.front().is_empty() && zipper.split_point().is_none());
    assert!(zipper.take_front(0).is_empty());
    taken
}

/// Divides a traversal at its split points, down to the leaves.
fn fall_apart<'a>(mut zipper: Zipper<'a, usize>, parts: &mut Vec<&'a [usize]>, level: usize) {
    assert!(level < 40);
    match zipper.split_point() {
        Some(at) => {
            assert!(0 < at && at < zipper.len());
            let rest = zipper.split_off(at);
            fall_apart(zipper, parts, level + 1);
            fall_apart(rest, parts, level + 1);
        }
        None => {
            assert_eq!(zipper.front().len(), zipper.len());
            parts.push(zipper.front());
        }
    }
}

/// Returns ropes of `0..len` in many shapes.
pub(super) fn shapes(len: usize) -> Vec<Rope<usize>> {
    let mut shapes = Vec::new();
    for leaf in [1, 2, 3, 7, 100] {
        shapes.push(rope_of(leaf, 0..len));
        // `link` does not merge shared leaves. The trees grow from the left, from the right, and alternately from both sides.
        let shared: Vec<_> = (0..len).map(|i| rope_of(leaf, [i])).collect();
        let parts = || shared.iter().cloned();
        shapes.push(parts().fold(Rope::with_leaf(leaf), Rope::link));
        shapes.push(parts().rfold(Rope::with_leaf(leaf), |rest, one| one.link(rest)));
        // Each piece is as long as all earlier ones together, first from left to right, then from right to left.
        let (mut grown, mut cut) = (rope_of(leaf, [0]), 1);
        while cut < len {
            let end = len.min(2 * cut + 1);
            grown = grown.link(rope_of(leaf, cut..end));
            cut = end;
        }
        shapes.push(grown.slice(..len));
        // The rope is cut into pieces and concatenated again.
        let pieces = rope_of(leaf, 0..len).split_n(5);
        let views = pieces.into_iter().map(|piece| piece.split2());
        let views: Vec<_> = views.flat_map(|(first, rest)| [first, rest]).collect();
        shapes.push(
            views
                .into_iter()
                .rev()
                .reduce(|rest, one| one.link(rest))
                .unwrap(),
        );
    }
    shapes
}

#[test]
fn whole_traversals() {
    let lens: &[usize] = if cfg!(miri) {
        &[0, 10]
    } else {
        &[0, 1, 2, 3, 10, 33]
    };
    for &len in lens {
        for rope in shapes(len) {
            assert!(rope.iter().copied().eq(0..len));
            for step in [1, 2, 5, usize::MAX] {
                assert!(
                    drain(Zipper::new(&rope), step)
                        .into_iter()
                        .copied()
                        .eq(0..len)
                );
            }
        }
    }
}

#[test]
fn split_at_every_point() {
    let lens: &[usize] = if cfg!(miri) {
        &[1, 6]
    } else {
        &[0, 1, 2, 9, 24]
    };
    for &len in lens {
        for rope in shapes(len) {
            for taken in 0..=len {
                let mut begun = Zipper::new(&rope);
                for _ in 0..taken {
                    begun.take_front(1);
                }
                for at in 0..=len - taken {
                    let mut first = begun.clone();
                    let rest = first.split_off(at);
                    assert_eq!((first.len(), rest.len()), (at, len - taken - at));
                    let cut = taken + at;
                    assert!(drain(first.clone(), 2).into_iter().copied().eq(taken..cut));
                    assert!(drain(rest.clone(), 3).into_iter().copied().eq(cut..len));
                    // Both parts are split again. The first part ends inside of a sibling.
                    for half in [first, rest] {
                        let start = half.front().first().copied().unwrap_or(0);
                        for again in 0..=half.len() {
                            let mut left = half.clone();
                            let right = left.split_off(again);
                            let end = start + half.len();
                            let cut = start + again;
                            assert!(drain(left, 9).into_iter().copied().eq(start..cut));
                            assert!(drain(right, 1).into_iter().copied().eq(cut..end));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn falls_apart_as_the_tree_does() {
    let lens: &[usize] = if cfg!(miri) { &[5] } else { &[0, 1, 2, 9, 24] };
    for &len in lens {
        for rope in shapes(len) {
            let whole = Zipper::new(&rope);
            let split_points = match &rope.root {
                Some(Tree::Cat(cat)) => Some(cat.sides()[0].len()),
                _ => None,
            };
            assert_eq!(whole.split_point(), split_points);
            for from in 0..=len {
                for to in from..=len {
                    let mut begun = whole.clone();
                    let mut part = begun.split_off(from);
                    drop(part.split_off(to - from));
                    let mut parts = Vec::new();
                    fall_apart(part, &mut parts, 0);
                    let flat = parts.concat();
                    assert!(flat.into_iter().eq(from..to));
                    // The leaves of a slice are those of the rope, cut at the ends.
                    let slice = rope.slice(from..to);
                    let leaves = slice.leaves().map(<[usize]>::len);
                    let parts = parts.iter().map(|part| part.len()).filter(|&len| len > 0);
                    assert!(parts.eq(leaves));
                }
            }
        }
    }
}

/// The depth of the rope exceeds the number of siblings that a stack holds without an allocation.
#[test]
fn deep_ones() {
    let mut rope = rope_of(1, [0, 1]);
    while rope.len() < 1 << 60 {
        rope = rope.clone().concat(rope);
    }
    assert!(rope.depth() > 40);
    let mut zipper = Zipper::new(&rope);
    assert_eq!(zipper.split_point(), Some(1 << 59));
    for shift in (1..60).rev() {
        let mut rest = zipper.split_off((1 << shift) + 1);
        assert_eq!(rest.take_front(1), [1]);
        assert_eq!(rest.front(), [0]);
        let mut middle = zipper.clone();
        let mut last = middle.split_off(1 << shift);
        assert_eq!((last.take_front(1), last.len()), (&[0][..], 0));
    }
    assert_eq!(drain(zipper, 1), [&0, &1, &0]);
}

#[test]
#[should_panic(expected = "split at 4 of 3")]
fn no_split_behind_the_end() {
    let rope = rope_of(2, 0..10);
    let mut zipper = Zipper::new(&rope);
    zipper.split_off(3);
    zipper.split_off(4);
}
