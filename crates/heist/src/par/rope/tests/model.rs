//! Checks that random operations on ropes and on arrays have equal results.

use super::super::taking::Taking;
use super::super::{Rope, RopeBuilder};
use super::{check, check_filled, rope_of};
use crate::par::source::{Chunk, Reversible};
use proptest::prelude::*;
use std::fmt::Debug;

#[derive(Clone, Debug)]
enum Step {
    Build(usize),
    BuildOfArrays(Vec<usize>),
    BuildInParts(Vec<usize>, u64),
    Push(usize, usize),
    Concat(usize, usize),
    ConcatAll(Vec<usize>),
    Link(usize, usize),
    Split(usize, usize),
    SplitN(usize, usize),
    Slice(usize, usize, usize),
    Update(usize, usize),
    Extend(usize, usize),
    ThroughArray(usize),
    BothWays(usize, u64),
    TakeApart(usize, u64),
    Forget(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let any = || 0..1000_usize;
    prop_oneof![
        1 => (0..40_usize).prop_map(Step::Build),
        1 => prop::collection::vec(0..12_usize, 0..6).prop_map(Step::BuildOfArrays),
        1 => (prop::collection::vec(0..25_usize, 0..8), 0..u64::MAX)
            .prop_map(|(parts, bits)| Step::BuildInParts(parts, bits)),
        1 => (any(), 1..5_usize).prop_map(|(a, n)| Step::Push(a, n)),
        4 => (any(), any()).prop_map(|(a, b)| Step::Concat(a, b)),
        1 => prop::collection::vec(any(), 0..5).prop_map(Step::ConcatAll),
        1 => (any(), any()).prop_map(|(a, b)| Step::Link(a, b)),
        3 => (any(), any()).prop_map(|(a, at)| Step::Split(a, at)),
        1 => (any(), 1..6_usize).prop_map(|(a, n)| Step::SplitN(a, n)),
        2 => (any(), any(), any()).prop_map(|(a, from, to)| Step::Slice(a, from, to)),
        2 => (any(), any()).prop_map(|(a, at)| Step::Update(a, at)),
        1 => (any(), 0..20_usize).prop_map(|(a, n)| Step::Extend(a, n)),
        1 => any().prop_map(Step::ThroughArray),
        1 => (any(), 0..u64::MAX).prop_map(|(a, bits)| Step::BothWays(a, bits)),
        1 => (any(), 0..u64::MAX).prop_map(|(a, bits)| Step::TakeApart(a, bits)),
        2 => any().prop_map(Step::Forget),
    ]
}

/// A list of ropes. Each rope has an array of the items that it must contain. Old versions of a rope stay in the list.
struct World<T> {
    leaf: usize,
    /// Whether the leaves are as full as `concat` makes them. `link` may leave smaller leaves.
    filled: bool,
    ropes: Vec<(Rope<T>, Vec<T>)>,
    made: u32,
    item: fn(u32) -> T,
}

const LONGEST: usize = 300;

impl<T: Clone + Debug + PartialEq + Send> World<T> {
    fn new(leaf: usize, item: fn(u32) -> T) -> Self {
        let empty = (Rope::with_leaf(leaf), Vec::new());
        World {
            leaf,
            filled: true,
            ropes: vec![empty],
            made: 0,
            item,
        }
    }

    fn next(&mut self) -> T {
        self.made += 1;
        (self.item)(self.made)
    }

    fn items(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.next()).collect()
    }

    fn at(&self, number: usize) -> usize {
        number % self.ropes.len()
    }

    fn get(&self, number: usize) -> (Rope<T>, Vec<T>) {
        self.ropes[self.at(number)].clone()
    }

    fn add(&mut self, rope: Rope<T>, model: Vec<T>) {
        if model.len() <= LONGEST {
            self.ropes.push((rope, model));
        }
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Build(count) => {
                let items = self.items(count);
                self.add(rope_of(self.leaf, items.clone()), items);
            }
            Step::BuildOfArrays(ref counts) => {
                let mut builder = RopeBuilder::with_leaf(self.leaf);
                let mut model = Vec::new();
                for &count in counts {
                    let items = self.items(count);
                    model.extend(items.clone());
                    builder.push_vec(items);
                    let single = self.next();
                    model.push(single.clone());
                    builder.push(single);
                    assert_eq!(builder.len(), model.len());
                }
                self.add(builder.finish(), model);
            }
            Step::BuildInParts(ref counts, bits) => {
                let mut model = Vec::new();
                let parts = counts.iter().map(|&count| {
                    let items = self.items(count);
                    model.extend(items.clone());
                    let mut builder = RopeBuilder::with_leaf(self.leaf);
                    builder.extend(items);
                    builder
                });
                let mut parts: Vec<_> = parts.collect();
                for turn in 0.. {
                    if parts.len() < 2 {
                        break;
                    }
                    let at = (bits >> (turn * 5 % 60)) as usize % (parts.len() - 1);
                    let right = parts.remove(at + 1);
                    parts[at].append(right);
                }
                let all = parts.pop();
                let all = all.unwrap_or_else(|| RopeBuilder::with_leaf(self.leaf));
                assert_eq!(all.len(), model.len());
                self.add(all.finish(), model);
            }
            Step::Push(a, count) => {
                // Unless this version of the rope is a clone, no other rope has it, so the items are pushed in place.
                let a = self.at(a);
                for item in self.items(count) {
                    let (rope, model) = &mut self.ropes[a];
                    rope.push_back(item.clone());
                    model.push(item);
                }
            }
            Step::Concat(a, b) => {
                let ((left, mut model), (right, more)) = (self.get(a), self.get(b));
                model.extend(more);
                self.add(left.concat(right), model);
            }
            Step::ConcatAll(ref numbers) => {
                let parts: Vec<_> = numbers.iter().map(|&a| self.get(a)).collect();
                let (ropes, models): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                self.add(Rope::cat_n(ropes), models.concat());
            }
            Step::Link(a, b) => {
                // The left rope is consumed, so that some leaves can be moved.
                let (left, mut model) = self.ropes.swap_remove(self.at(a));
                self.ropes.push((rope_of(self.leaf, []), Vec::new()));
                let (right, more) = self.get(b);
                model.extend(more);
                self.filled = false;
                self.add(left.link(right), model);
            }
            Step::Split(a, at) => {
                let (rope, mut model) = self.get(a);
                let at = at % (rope.len() + 1);
                let (first, rest) = rope.split_at(at);
                let behind = model.split_off(at);
                self.add(first, model);
                self.add(rest, behind);
            }
            Step::SplitN(a, parts) => {
                let (rope, model) = self.get(a);
                let split = rope.split_n(parts);
                assert_eq!(split.len(), parts);
                assert!(split.iter().flatten().eq(&model));
                let lens = split.iter().map(Rope::len);
                assert!(lens.clone().max().unwrap() - lens.min().unwrap() <= 1);
                let (first, rest) = rope.split2();
                assert!(first.len() - rest.len() <= 1);
                split.iter().for_each(|part| drop(check(part)));
            }
            Step::Slice(a, from, to) => {
                let (rope, model) = self.get(a);
                let from = from % (rope.len() + 1);
                let to = from + to % (rope.len() - from + 1);
                self.add(rope.slice(from..to), model[from..to].to_vec());
            }
            Step::Update(a, at) => {
                let (rope, mut model) = self.get(a);
                if !model.is_empty() {
                    let at = at % model.len();
                    model[at] = self.next();
                    self.add(rope.update(at, model[at].clone()), model);
                }
            }
            Step::Extend(a, count) => {
                let (a, items) = (self.at(a), self.items(count));
                self.ropes[a].0.extend(items.clone());
                self.ropes[a].1.extend(items);
            }
            Step::ThroughArray(a) => {
                let a = self.at(a);
                let (rope, model) = self.ropes.swap_remove(a);
                let items = Vec::from(rope);
                assert_eq!(items, model);
                self.ropes.push((rope_of(self.leaf, items), model));
            }
            Step::BothWays(a, bits) => {
                let (rope, model) = self.get(a);
                both_ways(rope.iter(), model.iter(), bits);
                both_ways(rope.leaves().flatten(), model.iter(), bits);
                // The iterator moves the items of arrays that no other rope shares.
                let (owned, model) = self.ropes.swap_remove(self.at(a));
                both_ways(owned.into_iter(), model.into_iter(), bits);
                self.ropes.push((rope_of(self.leaf, []), Vec::new()));
            }
            Step::TakeApart(a, bits) => {
                let (mut rope, model) = self.ropes.swap_remove(self.at(a));
                self.ropes.push((rope_of(self.leaf, []), Vec::new()));
                let mut taken = Vec::new();
                take_apart(Taking::new(&mut rope), bits, &mut taken);
                assert_eq!(taken, model);
            }
            Step::Forget(a) => {
                let a = self.at(a);
                self.ropes[a] = (rope_of(self.leaf, []), Vec::new());
            }
        }
        self.check();
    }

    fn check(&self) {
        for (rope, model) in &self.ropes {
            if self.filled && rope.leaf_size() == self.leaf {
                check_filled(rope);
            } else {
                check(rope);
            }
            assert_eq!(rope.len(), model.len());
            assert!(rope.iter().eq(model), "{rope:?} instead of {model:?}");
            assert_eq!(rope.get(model.len()), None);
            assert_eq!((rope.first(), rope.last()), (model.first(), model.last()));
            let middle = model.len() / 2;
            assert_eq!(rope.get(middle), model.get(middle));
        }
    }
}

/// Takes all items of a traversal in steps. Each step takes items or divides the traversal. `bits` determines each step.
fn take_apart<T: Clone + Send>(mut rest: Taking<'_, T>, mut bits: u64, taken: &mut Vec<T>) {
    while rest.len() > 0 {
        bits = bits.rotate_left(7) ^ 0x9e37_79b9_7f4a_7c15;
        let number = (bits >> 8) as usize;
        if bits % 3 == 0 {
            let behind = rest.split_off(number % (rest.len() + 1));
            if rest.len() == 0 {
                rest = behind;
                continue;
            }
            take_apart(rest, bits / 3, taken);
            rest = behind;
        } else {
            let next = rest.take_front(1 + number % rest.front_len());
            if bits % 2 == 0 {
                taken.extend(next.into_iter());
            } else {
                let start = taken.len();
                taken.extend(next.into_back());
                taken[start..].reverse();
            }
        }
    }
}

/// Takes all items of two iterators from both ends, and checks that the items are equal. `bits` determines each step.
fn both_ways<T: PartialEq + Debug>(
    mut found: impl DoubleEndedIterator<Item = T>,
    mut expected: impl DoubleEndedIterator<Item = T>,
    bits: u64,
) {
    for turn in 0.. {
        let (found, expected) = if bits >> (turn % 64) & 1 == 0 {
            (found.next(), expected.next())
        } else {
            (found.next_back(), expected.next_back())
        };
        assert_eq!(found, expected);
        if expected.is_none() {
            break;
        }
    }
    assert!(found.next().is_none() && found.next_back().is_none());
}

fn run<T: Clone + Debug + PartialEq + Send>(leaf: usize, steps: &[Step], item: fn(u32) -> T) {
    let mut world = World::new(leaf, item);
    steps.iter().for_each(|step| world.run(step));
}

/// Number of steps of a test case.
const STEPS: usize = if cfg!(miri) { 12 } else { 60 };

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) {
            3
        } else if cfg!(debug_assertions) {
            150
        } else {
            400
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn as_arrays(leaf in 1..10_usize, steps in prop::collection::vec(step(), 1..STEPS)) {
        run(leaf, &steps, |number| number);
    }

    #[test]
    fn as_arrays_of_boxes(leaf in 1..10_usize, steps in prop::collection::vec(step(), 1..STEPS)) {
        run(leaf, &steps, Box::new);
    }

    #[test]
    fn as_arrays_of_nothing(leaf in 1..10_usize, steps in prop::collection::vec(step(), 1..STEPS)) {
        run(leaf, &steps, drop);
    }
}
