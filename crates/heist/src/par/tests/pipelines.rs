//! Compares random chains of operations with those of iterators.

use super::{forced, items, pool, ropes};
use crate::par::Splitting;
use crate::par::prelude::*;

/// A random generator. Its numbers do not depend on the compared values.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n
    }
}

/// Compares a sequence with a slice of the same items. Then compares the results of random adapters on the sequence and on the
/// slice.
fn check<P>(ours: P, theirs: &[i64], dice: &mut Dice)
where
    P: Indexed<Item = i64> + Clone,
{
    let step = 1 + dice.roll(9);
    let skip = dice.roll(theirs.len() + 2);
    let take = dice.roll(theirs.len() + 2);
    assert_eq!(ours.len(), theirs.len());
    assert_eq!(ours.clone().collect::<Vec<_>>(), theirs);
    let back: Vec<i64> = theirs.iter().rev().copied().collect();
    assert_eq!(ours.clone().rev().collect::<Vec<_>>(), back);
    let must: Vec<i64> = theirs
        .iter()
        .skip(skip)
        .step_by(step)
        .take(take)
        .copied()
        .collect();
    assert_eq!(
        ours.clone()
            .skip(skip)
            .step_by(step)
            .take(take)
            .collect::<Vec<_>>(),
        must
    );
    let back: Vec<i64> = must.iter().rev().copied().collect();
    assert_eq!(
        ours.clone()
            .skip(skip)
            .step_by(step)
            .take(take)
            .rev()
            .collect::<Vec<_>>(),
        back
    );
    let must: Vec<i64> = theirs
        .iter()
        .rev()
        .skip(skip)
        .step_by(step)
        .copied()
        .collect();
    assert_eq!(
        ours.clone()
            .rev()
            .skip(skip)
            .step_by(step)
            .collect::<Vec<_>>(),
        must
    );
    assert_eq!(
        ours.clone()
            .rev()
            .skip(skip)
            .step_by(step)
            .collect_rope(3)
            .into_iter()
            .collect::<Vec<_>>(),
        must
    );
    let must: Vec<(i64, i64)> = theirs
        .iter()
        .rev()
        .step_by(step)
        .copied()
        .zip(theirs.iter().copied())
        .collect();
    assert_eq!(
        ours.clone()
            .rev()
            .step_by(step)
            .zip(ours.clone())
            .collect::<Vec<_>>(),
        must
    );
    let must: Vec<(usize, (i64, i64))> = theirs
        .iter()
        .copied()
        .zip(theirs.iter().rev().copied())
        .skip(skip)
        .enumerate()
        .collect();
    assert_eq!(
        ours.clone()
            .zip(ours.clone().rev())
            .skip(skip)
            .enumerate()
            .collect::<Vec<_>>(),
        must
    );
    let sums: Vec<i64> = theirs
        .iter()
        .rev()
        .scan(0, |s, x| {
            *s += x;
            Some(*s)
        })
        .collect();
    assert_eq!(ours.clone().rev().inclusive_scan(|a, b| a + b), sums);
    let text: String = theirs
        .iter()
        .rev()
        .step_by(step)
        .map(|x| x.to_string())
        .collect();
    assert_eq!(
        ours.clone().rev().step_by(step).fold_reduce(
            String::new,
            |s, x| s + &x.to_string(),
            |a, b| a + &b
        ),
        text
    );
    let text: String = theirs
        .iter()
        .flat_map(|x| (0..x.rem_euclid(4)).map(move |i| format!("{x}:{i},")))
        .collect();
    let nested = ours
        .clone()
        .flat_map(|x| (0..x.rem_euclid(4)).par().map(move |i| format!("{x}:{i},")));
    assert_eq!(nested.reduce(String::new, |a, b| a + &b), text);
    let must = theirs.iter().rposition(|x| x % 7 == 3);
    let last = ours.clone().enumerate().find_last(|(_, x)| x % 7 == 3);
    assert_eq!(last.map(|(i, _)| i), must);
    let must = theirs.iter().position(|x| x % 7 == 3);
    assert_eq!(ours.position_first(|x| x % 7 == 3), must);
}

/// Compares random chains of operations on random ropes.
fn pipelines<X: Splitting>(policy: X, seed: u64) {
    let mut dice = Dice(seed);
    let n = dice.roll(40);
    let xs = items(n);
    let shapes = ropes(&xs);
    let rope = &shapes[dice.roll(shapes.len())];
    let m = dice.roll(30);
    let ys = items(m);
    let other = ropes(&ys);
    let other = &other[dice.roll(other.len())];
    let both: Vec<i64> = xs.iter().chain(&ys).copied().collect();
    let chain = || rope.par().splitting(policy).chain(other).copied();
    check(chain(), &both, &mut dice);
    match dice.roll(5) {
        0 => {
            let back: Vec<i64> = both.iter().rev().chain(&xs).copied().collect();
            check(chain().rev().chain(rope.par().copied()), &back, &mut dice);
        }
        1 => {
            let step = 1 + dice.roll(6);
            let all: Vec<i64> = both
                .iter()
                .step_by(step)
                .chain(ys.iter().rev())
                .copied()
                .collect();
            check(
                chain().step_by(step).chain(other.par().rev().copied()),
                &all,
                &mut dice,
            );
        }
        2 => {
            let skip = dice.roll(10);
            let all: Vec<i64> = both
                .iter()
                .skip(skip)
                .zip(xs.iter().rev())
                .map(|(a, b)| a * 3 + b)
                .collect();
            check(
                chain()
                    .skip(skip)
                    .zip(rope.par().rev())
                    .map(|(a, b)| a * 3 + b),
                &all,
                &mut dice,
            );
        }
        3 => {
            let step = 1 + dice.roll(6);
            let all: Vec<i64> = both
                .iter()
                .rev()
                .step_by(step)
                .chain(&[])
                .chain(&xs)
                .rev()
                .copied()
                .collect();
            let none: &[i64] = &[];
            check(
                chain()
                    .rev()
                    .step_by(step)
                    .chain(none.par().copied())
                    .chain(xs.par().copied())
                    .rev(),
                &all,
                &mut dice,
            );
        }
        _ => {
            let (a, b) = (1 + dice.roll(4), 1 + dice.roll(4));
            let all: Vec<i64> = both
                .iter()
                .step_by(a)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .step_by(b)
                .copied()
                .collect();
            check(
                chain().step_by(a).rev().step_by(b).inspect(|_| ()),
                &all,
                &mut dice,
            );
        }
    }
}

#[test]
fn of_chance() {
    let seeds = if cfg!(miri) { 1 } else { 60 };
    for threads in [1, 2] {
        pool(threads).install(|| {
            for seed in 0..seeds {
                for way in 0..super::WAYS {
                    pipelines(forced(way), seed * 7919 + 1);
                }
            }
        });
    }
}
