//! Checks ropes that are concatenated in the worst orders.

use super::super::concat::depth_bound;
use super::super::{Rope, RopeBuilder};
use super::{check, check_filled, rope_of};

/// Returns a letter of the infinite Fibonacci word.
fn letter(mut index: usize) -> char {
    let mut lens = vec![1_usize, 2];
    while *lens.last().unwrap() <= index {
        lens.push(lens[lens.len() - 1] + lens[lens.len() - 2]);
    }
    for &len in lens[1..].iter().rev() {
        if index >= len {
            index -= len;
        }
    }
    if index == 0 { 'a' } else { 'b' }
}

fn fibonacci(leaf: usize, least: usize, mut each: impl FnMut(&Rope<char>)) -> Rope<char> {
    let (mut shorter, mut word) = (rope_of(leaf, ['a']), rope_of(leaf, ['a', 'b']));
    while word.len() < least {
        (shorter, word) = (word.clone(), word.concat(shorter));
        each(&word);
    }
    word
}

/// Fibonacci words make the sparsest trees in which the sides of each node differ in depth by at most one, so these ropes need `limit`.
#[test]
fn fibonacci_words_are_flat() {
    for leaf in [1, 2, 3, 8] {
        let least = if cfg!(miri) { 90 } else { 20_000 };
        let word = fibonacci(leaf, least, check_filled);
        assert!(word.iter().enumerate().all(|(i, &at)| at == letter(i)));
    }
}

/// These ropes are longer than memory, because they share almost all of their parts. So no step of the test may visit every leaf.
#[test]
fn fibonacci_words_longer_than_memory() {
    // The leaf size, and the binary logarithms of the greatest length and of the length up to which the bound is promised.
    for (leaf, longest, balanced) in [(1, 32, 20), (16, 34, 30), (512, 62, 45)] {
        let (longest, balanced) = if cfg!(miri) {
            (9, 9)
        } else {
            (longest, balanced)
        };
        let (longest, balanced) = (1_usize << longest, 1 << balanced);
        let word = fibonacci(leaf, longest, |word| {
            assert!(word.is_balanced() || word.len() > balanced);
        });
        let parts = longest.ilog2() as usize - 1;
        for start in (0..parts).map(|shift| (1 << shift) + shift) {
            let part = word.slice(start..start + 40);
            check(&part);
            assert!(part.iter().zip(start..).all(|(&at, i)| at == letter(i)));
            assert_eq!(word[start], letter(start));
        }
        let half = longest / 2;
        let (_, rest) = word.split_at(half);
        assert_eq!(rest[0], letter(half));
    }
}

#[test]
fn doubled_until_there_are_too_many() {
    let mut rope = rope_of(1, [7]);
    while rope.len() < 1 << 63 {
        rope = rope.clone().concat(rope);
        assert!(rope.is_balanced());
    }
    assert_eq!(depth_bound(rope.len()), 65);
    assert_eq!(depth_bound(usize::MAX), 66);
    let all_but_one = rope.clone().concat(rope.slice(1..));
    assert_eq!(all_but_one.len(), usize::MAX);
    assert!(all_but_one.is_balanced());
    assert_eq!(all_but_one.iter().rev().take(3).count(), 3);
    let panics = [
        std::panic::catch_unwind(|| rope.clone().concat(rope.clone())).is_err(),
        std::panic::catch_unwind(|| all_but_one.clone().push_back(1)).is_err(),
        std::panic::catch_unwind(|| all_but_one.clone().link(rope.slice(..1))).is_err(),
    ];
    assert_eq!(panics, [true; 3]);
}

#[test]
fn item_by_item_from_either_side() {
    let count = if cfg!(miri) { 20 } else { 2000 };
    for leaf in [1, 2, 5, 64] {
        let single = |item: i32| rope_of(leaf, [item]);
        let (mut pushed, mut forth, mut back, mut linked) = (
            Rope::with_leaf(leaf),
            Rope::with_leaf(leaf),
            Rope::with_leaf(leaf),
            Rope::with_leaf(leaf),
        );
        for i in 0..count {
            pushed.push_back(i);
            forth = forth.concat(single(i));
            back = single(count - 1 - i).concat(back);
            linked = linked.link(single(i));
        }
        for rope in [&pushed, &forth, &back, &linked] {
            check_filled(rope);
            assert!(rope.iter().copied().eq(0..count));
        }
    }
}

/// An appended item makes a tree deeper if all nodes on the path to the new item have sides of equal depth.
#[test]
fn one_more_is_not_too_deep() {
    let mut sparse = (rope_of(1, [0]), rope_of(1, [0, 0]));
    let mut tree = rope_of(1, [0]);
    for _ in 0..if cfg!(miri) { 5 } else { 16 } {
        tree = sparse.0.clone().concat(tree);
        let mut more = tree.clone();
        more.push_back(1);
        check_filled(&more);
        assert_eq!(more.len(), tree.len() + 1);
        sparse = (sparse.1.clone(), sparse.1.concat(sparse.0));
    }
}

/// A cut that removes items may lower the bound on the depth but leave the depth unchanged.
#[test]
#[cfg_attr(miri, ignore = "too many leaves")]
fn one_less_is_not_too_deep() {
    let (mut shorter, mut sparse) = (rope_of(1, [0]), rope_of(1, [0, 0]));
    while sparse.len() < 144 {
        (shorter, sparse) = (sparse.clone(), sparse.concat(shorter));
    }
    while shorter.len() < 113 {
        shorter.push_back(1);
    }
    let tree = sparse.concat(shorter);
    assert_eq!((tree.len(), tree.depth()), (257, 11));
    for at in 0..=257 {
        let (first, rest) = tree.split_at(at);
        check_filled(&first);
        check_filled(&rest);
        check_filled(&tree.slice(at / 2..at));
    }
}

/// Repeatedly cuts the last leaf to one item, and appends a full leaf.
#[test]
fn cuts_leave_no_crumbs() {
    let mut rope = rope_of(64, 0..64);
    for _ in 0..if cfg!(miri) { 5 } else { 100 } {
        rope = rope.slice(..rope.len() - 63).concat(rope_of(64, 0..64));
        check_filled(&rope);
    }
    let mut rope = rope_of(64, 0..64);
    for _ in 0..if cfg!(miri) { 5 } else { 100 } {
        rope = rope_of(64, 0..64).concat(rope.slice(63..));
        check_filled(&rope);
    }
}

/// A leaf that was cut in two becomes one leaf again, and no item is copied.
#[test]
fn parts_heal() {
    let rope = rope_of(8, 0..100);
    let pointers = |rope: &Rope<i32>| -> Vec<_> {
        let leaves = rope.leaves();
        leaves.map(<[i32]>::as_ptr_range).collect()
    };
    for at in 0..=100 {
        let (first, rest) = rope.split_at(at);
        assert_eq!(
            pointers(&first.clone().concat(rest.clone())),
            pointers(&rope)
        );
        assert_eq!(pointers(&first.link(rest)), pointers(&rope));
    }
}

/// A concatenation may restore a leaf that was cut in two. The neighbours of this leaf may then be small.
#[test]
fn parts_heal_beside_crumbs() {
    let both = rope_of(64, 0..100).concat(rope_of(64, 100..164));
    assert_eq!(check(&both), [64, 36, 64]);
    let left = both.slice(..101);
    let right = both.slice(101..102).concat(rope_of(64, 102..230));
    assert_eq!(
        (check(&left), check(&right)),
        (vec![64, 36, 1], vec![1, 64, 64])
    );
    let healed = left.concat(right);
    assert_eq!(check(&healed), [64, 38, 64, 64]);
    assert!(healed.into_iter().eq(0..230));
}

#[test]
fn sizes_of_leaves_meet() {
    let (small, large) = (rope_of(2, 0..20), rope_of(50, 20..200));
    let both = small.clone().concat(large.clone());
    assert_eq!(both.leaf_size(), 50);
    check(&both);
    assert!(both.iter().copied().eq(0..200));
    check(&large.concat(small));
}

#[test]
fn builders_fill_leaves() {
    let rope = rope_of(10, 0..95);
    assert_eq!(check(&rope), [10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
    assert_eq!(rope.depth(), 4);
    // The tests use an iterator with a hint of its length and an iterator without such a hint.
    assert_eq!(check(&rope_of(10, (0..95).filter(|i| i % 2 == 0))).len(), 5);
    assert_eq!(check(&rope_of(1, 0..5)), [1; 5]);
    let mut builder = RopeBuilder::with_leaf(4);
    let array = vec![1, 2, 3];
    let place = array.as_ptr();
    builder.push(0);
    builder.push(0);
    builder.push_vec(array);
    builder.push_vec(vec![]);
    builder.push_vec(vec![4, 5]);
    builder.push_vec((6..15).collect());
    let rope = builder.finish();
    check_filled(&rope);
    assert_eq!(rope.leaves().nth(1).unwrap().as_ptr(), place);
    assert_eq!(rope.len(), 16);
}

/// The builders that the parts of a schedule have filled can be appended in any order.
#[test]
fn appended_builders_leave_no_crumbs() {
    let builder = |len: usize| {
        let mut builder = RopeBuilder::with_leaf(8);
        builder.extend(0..len);
        builder
    };
    // Small leaves are appended before full leaves, repeatedly.
    let rounds = if cfg!(miri) { 3 } else { 20 };
    let mut all = builder(20);
    for _ in 0..rounds {
        let mut left = builder(2);
        left.append({
            let mut left = builder(3);
            left.append(builder(17));
            left
        });
        all.append(left);
    }
    assert_eq!(all.len(), 20 + rounds * 22);
    check_filled(&all.finish());
    // Builders of all lengths are appended from the left, from the right, and in halves.
    let lens: Vec<usize> = (0..10 * rounds).map(|i| i * 7 % 11).collect();
    let len = lens.iter().sum();
    let from_left = lens.iter().fold(builder(0), |mut left, &len| {
        left.append(builder(len));
        left
    });
    let from_right = lens.iter().rfold(builder(0), |right, &len| {
        let mut left = builder(len);
        left.append(right);
        left
    });
    fn halves(
        lens: &[usize],
        builder: &impl Fn(usize) -> RopeBuilder<usize>,
    ) -> RopeBuilder<usize> {
        if let [len] = lens {
            return builder(*len);
        }
        let (left, right) = lens.split_at(lens.len() / 2);
        let mut left = halves(left, builder);
        left.append(halves(right, builder));
        left
    }
    for all in [from_left, from_right, halves(&lens, &builder)] {
        assert_eq!(all.len(), len);
        let rope = all.finish();
        check_filled(&rope);
        assert!(rope.into_iter().eq(lens.iter().flat_map(|&len| 0..len)));
    }
}

#[test]
fn builders_of_two_leaf_sizes() {
    let (mut small, mut large) = (RopeBuilder::with_leaf(2), RopeBuilder::with_leaf(10));
    small.extend(0..5);
    large.extend(5..30);
    small.append(large);
    small.push(30);
    let rope = small.finish();
    assert_eq!(rope.leaf_size(), 10);
    check(&rope);
    assert!(rope.into_iter().eq(0..31));
}
