//! Checks that traversals that take items out can be paused and divided.

use super::super::Rope;
use super::super::taking::{Front, Taking};
use super::super::tree::Tree;
use super::zipper::shapes;
use crate::par::source::Chunk;

/// Takes the remaining items, in steps of at most `step`.
fn drain(mut taking: Taking<'_, usize>, step: usize) -> Vec<usize> {
    let mut taken = Vec::new();
    while taking.len() > 0 {
        let (count, before) = (taking.front_len().min(step), taking.len());
        assert!(count > 0 && (1..=before).contains(&taking.back_len()));
        let next = taking.take_front(count);
        assert_eq!((next.len(), taking.len()), (count, before - count));
        taken.extend(next.into_iter());
    }
    assert_eq!(taking.front_len(), 0);
    assert!(taking.split_point().is_none());
    assert_eq!(taking.take_front(0).len(), 0);
    taken
}

const LENGTHS: &[usize] = if cfg!(miri) { &[3] } else { &[0, 1, 2, 9, 24] };

/// Calls `act` with ropes that have a clone, and with ropes that have no clone.
fn each(len: usize, mut act: impl FnMut(&mut Rope<usize>)) {
    for mut rope in shapes(len) {
        let other = rope.clone();
        act(&mut rope);
        drop(rope);
        assert!(other.iter().copied().eq(0..len));
    }
    shapes(len).iter_mut().for_each(act);
}

#[test]
fn split_at_every_point() {
    for &len in LENGTHS {
        for taken in 0..=len {
            for at in 0..=len - taken {
                each(len, |rope| {
                    let mut first = Taking::new(rope);
                    for item in 0..taken {
                        assert!(first.take_front(1).into_iter().eq([item]));
                    }
                    let mut rest = first.split_off(at);
                    assert_eq!((first.len(), rest.len()), (at, len - taken - at));
                    // Both parts are split again.
                    let (behind, before) =
                        (rest.split_off(rest.len() / 2), first.split_off(at / 2));
                    let parts = [first, before, rest, behind];
                    let steps = [2, 9, 1, 3];
                    let all = parts.into_iter().zip(steps);
                    let all = all.flat_map(|(part, step)| drain(part, step));
                    assert!(all.eq(taken..len));
                });
            }
        }
    }
}

/// Divides a traversal at its split points, down to the leaves.
fn fall_apart(mut taking: Taking<'_, usize>, parts: &mut Vec<Vec<usize>>, level: usize) {
    assert!(level < 40);
    match taking.split_point() {
        Some(at) => {
            assert!(0 < at && at < taking.len());
            let rest = taking.split_off(at);
            fall_apart(taking, parts, level + 1);
            fall_apart(rest, parts, level + 1);
        }
        None => {
            let len = taking.len();
            parts.push(taking.take_front(len).into_iter().collect());
        }
    }
}

#[test]
fn falls_apart_as_the_tree_does() {
    for &len in LENGTHS {
        each(len, |rope| {
            let root = match &rope.root {
                Some(Tree::Cat(cat)) => Some(cat.sides()[0].len()),
                _ => None,
            };
            let leaves: Vec<_> = rope.leaves().map(<[usize]>::len).collect();
            let whole = Taking::new(rope);
            assert_eq!(whole.split_point(), root);
            let mut parts = Vec::new();
            fall_apart(whole, &mut parts, 0);
            assert!(parts.concat().into_iter().eq(0..len));
            let parts = parts.iter().map(Vec::len).filter(|&len| len > 0);
            assert!(parts.eq(leaves));
        });
    }
}

/// Items of shared leaves are cloned. All other items are moved.
#[test]
fn only_items_of_shared_leaves_are_cloned() {
    let moved = |rope: &mut Rope<usize>| -> Vec<bool> {
        let mut taking = Taking::new(rope);
        let mut moved = Vec::new();
        while taking.len() > 0 {
            moved.push(matches!(
                taking.take_front(taking.front_len()),
                Front::Moved(_)
            ));
        }
        moved
    };
    let rope = || super::rope_of(4, 0..12);
    assert_eq!(moved(&mut rope()), [true; 3]);
    let mut shared = rope();
    let other = shared.clone();
    assert_eq!(moved(&mut shared), [false; 3]);
    drop((shared, other));
    // The other rope shares an array with this rope, but no node.
    let mut cut = rope();
    let other = cut.slice(9..);
    assert_eq!(moved(&mut cut), [true, true, false]);
    drop((cut, other));
    // The views are at the front, at the back and in the middle of arrays that no other rope has.
    for (start, end) in [(1, 12), (0, 11), (5, 7), (0, 3)] {
        let mut view = rope().slice(start..end);
        assert!(
            moved(&mut view).iter().all(|&moved| moved),
            "{start}..{end}"
        );
        let mut view = rope().slice(start..end);
        assert!(drain(Taking::new(&mut view), 9).into_iter().eq(start..end));
    }
}

#[test]
#[should_panic(expected = "split at 4 of 3")]
fn no_split_behind_the_end() {
    let mut rope = super::rope_of(2, 0..10);
    let mut taking = Taking::new(&mut rope);
    drop(taking.split_off(3));
    drop(taking.split_off(4));
}
