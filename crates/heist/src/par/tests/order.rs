//! Tests of sequences that are reversed, taken in steps, or compared.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, pool, ropes, same, under_all, under_eager};
use crate::par::prelude::*;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

same!(
    turns_round,
    |xs, n| xs.rev().collect::<Vec<_>>(),
    xs.rev().collect::<Vec<_>>()
);
same!(
    turns_round_twice,
    |xs, n| xs.rev().skip(n / 4).rev().collect::<Vec<_>>(),
    xs.rev().skip(n / 4).rev().collect::<Vec<_>>()
);
same!(
    reverses_numbered_items,
    |xs, n| xs
        .copied()
        .enumerate()
        .rev()
        .filter(|(i, _)| i % 3 > 0)
        .collect::<Vec<_>>(),
    xs.copied()
        .enumerate()
        .rev()
        .filter(|(i, _)| i % 3 > 0)
        .collect::<Vec<_>>()
);
same!(
    reverses_zipped_items,
    |xs, n| xs
        .zip(0..n / 2)
        .map(|(x, i)| x * i as i64)
        .rev()
        .collect::<Vec<_>>(),
    xs.zip(0..n / 2)
        .map(|(x, i)| x * i as i64)
        .rev()
        .collect::<Vec<_>>()
);
same!(
    zips_reversed_items,
    |xs, n| xs.rev().zip((0..2 * n).par().rev()).collect::<Vec<_>>(),
    xs.rev().zip((0..2 * n).rev()).collect::<Vec<_>>()
);
same!(
    reverses_chained_items,
    |xs, n| xs
        .cloned()
        .chain(5..=9_i64)
        .inspect(|x| assert!(*x < 100))
        .rev()
        .take(n)
        .collect::<Vec<_>>(),
    xs.cloned()
        .chain(5..=9_i64)
        .rev()
        .take(n)
        .collect::<Vec<_>>()
);
same!(
    reduces_reversed_items,
    |xs, n| xs
        .rev()
        .map(|x| x.to_string())
        .reduce(String::new, |a, b| a + &b),
    xs.rev().map(|x| x.to_string()).collect::<String>()
);
same!(
    scans_reversed_items,
    |xs, n| xs.rev().copied().inclusive_scan(|a, b| a + b),
    xs.rev()
        .scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
        .collect::<Vec<_>>()
);
same!(
    steps,
    |xs, n| [1, 2, 7, 100, usize::MAX].map(|step| xs.clone().step_by(step).collect::<Vec<_>>()),
    [1, 2, 7, 100, usize::MAX].map(|step| xs.clone().step_by(step).collect::<Vec<_>>())
);
same!(
    steps_back,
    |xs, n| [1, 2, 7, 100, usize::MAX].map(|step| {
        let steps = xs.clone().enumerate().step_by(step);
        steps.rev().collect::<Vec<_>>()
    }),
    [1, 2, 7, 100, usize::MAX].map(|step| {
        let steps = xs.clone().enumerate().step_by(step);
        let mut steps = steps.collect::<Vec<_>>();
        steps.reverse();
        steps
    })
);
same!(
    steps_over_chained_items,
    |xs, n| xs
        .copied()
        .chain(5..8_i64)
        .chain((0..n as i64).par())
        .step_by(5)
        .enumerate()
        .rev()
        .collect::<Vec<_>>(),
    {
        let all: Vec<_> = xs.copied().chain(5..8).chain(0..n as i64).collect();
        all.into_iter()
            .step_by(5)
            .enumerate()
            .rev()
            .collect::<Vec<_>>()
    }
);
/// Checks a `step_by` over a chain with more items than a test could visit one by one.
#[test]
fn long_steps_over_chained_ranges() {
    const LONG: usize = usize::MAX / 2;
    const STEP: usize = LONG / 5;
    let theirs: Vec<usize> = (0..LONG).chain(0..LONG).step_by(STEP).collect();
    let theirs_back: Vec<usize> = (0..LONG).chain(0..LONG).rev().step_by(STEP).collect();
    under_all!(|policy| {
        let all = || (0..LONG).par().splitting(policy).chain((0..LONG).par());
        assert_eq!(all().step_by(STEP).collect::<Vec<_>>(), theirs);
        let back = all().rev().step_by(STEP);
        assert_eq!(back.collect::<Vec<_>>(), theirs_back);
    });
}

same!(
    steps_over_steps,
    |xs, n| xs
        .step_by(2)
        .step_by(3)
        .map(|x| x + 1)
        .zip((0..n).par().step_by(4))
        .collect::<Vec<_>>(),
    xs.step_by(2)
        .step_by(3)
        .map(|x| x + 1)
        .zip((0..n).step_by(4))
        .collect::<Vec<_>>()
);

#[test]
fn pieces_of_slices_are_turned_round() {
    for &n in LENGTHS {
        let all = items(n);
        under_all!(|policy| {
            let ours: Vec<_> = all.par_chunks(3).splitting(policy).rev().collect();
            assert_eq!(ours, all.chunks(3).rev().collect::<Vec<_>>());
            let ours: Vec<_> = all.par_windows(3).splitting(policy).rev().collect();
            assert_eq!(ours, all.windows(3).rev().collect::<Vec<_>>());
            let ours: Vec<_> = all.par_chunks(3).splitting(policy).step_by(2).collect();
            assert_eq!(ours, all.chunks(3).step_by(2).collect::<Vec<_>>());
            let mut ours = all.clone();
            let places = ours.par_mut().splitting(policy).rev().enumerate();
            places.for_each(|(i, x)| *x += i as i64);
            let mut theirs = all.clone();
            for (i, x) in theirs.iter_mut().rev().enumerate() {
                *x += i as i64;
            }
            assert_eq!(ours, theirs);
            let pieces = ours.par_chunks_mut(4).splitting(policy).step_by(2).rev();
            pieces
                .enumerate()
                .for_each(|(i, chunk)| chunk.fill(i as i64));
            let mut pieces: Vec<_> = theirs.chunks_mut(4).step_by(2).collect();
            for (i, chunk) in pieces.iter_mut().rev().enumerate() {
                chunk.fill(i as i64);
            }
            assert_eq!(ours, theirs);
        });
    }
}

#[test]
fn ropes_are_turned_round_and_stepped_over() {
    for &n in LENGTHS {
        if n > 300 {
            continue;
        }
        let all = items(n);
        let back: Vec<i64> = all.iter().rev().copied().collect();
        let steps: Vec<i64> = all.iter().step_by(4).copied().collect();
        let steps_back: Vec<i64> = steps.iter().rev().copied().collect();
        let fewer: Vec<i64> = steps.iter().step_by(3).copied().collect();
        let both: Vec<(i64, i64)> = all.iter().rev().copied().zip(all.clone()).collect();
        for (rope, other) in ropes(&all).iter().zip(ropes(&all).iter().rev()) {
            under_all!(|policy| {
                let xs = || rope.par().splitting(policy).copied();
                assert_eq!(xs().rev().collect::<Vec<_>>(), back);
                assert_eq!(xs().step_by(4).collect::<Vec<_>>(), steps);
                assert_eq!(xs().step_by(4).rev().collect::<Vec<_>>(), steps_back);
                // The items between the last used item of a piece and the end of the piece may be in the next leaf.
                let twice = xs().step_by(4).rev().step_by(1).rev().step_by(3);
                assert_eq!(twice.collect::<Vec<_>>(), fewer);
                let pairs = xs().rev().zip(other.par().copied());
                assert_eq!(pairs.collect::<Vec<_>>(), both);
                assert!(xs().eq(other.par().copied()));
                // Two ropes of different shapes are traversed from the end.
                let pairs = xs().inspect(|_| ()).zip(other).map(|(a, b)| a + b);
                let pairs = pairs.enumerate().rev();
                assert!(
                    pairs
                        .collect::<Vec<_>>()
                        .iter()
                        .rev()
                        .enumerate()
                        .all(|(at, (i, sum))| { *i == at && *sum == 2 * all[at] })
                );
            });
        }
    }
}

#[test]
fn eager_policies_keep_the_order() {
    let all = items(700);
    let rope = all.par().copied().collect_rope(8);
    let back: Vec<i64> = all.iter().rev().copied().collect();
    let steps: Vec<i64> = all.iter().step_by(6).copied().collect();
    under_eager!(|policy| {
        let xs = || rope.par().splitting(policy).copied();
        assert_eq!(xs().rev().collect::<Vec<_>>(), back);
        assert_eq!(xs().step_by(6).collect::<Vec<_>>(), steps);
    });
}

#[test]
fn floats_have_the_same_bits_from_behind() {
    let len = if cfg!(miri) { 50 } else { 3000 };
    let xs: Vec<f64> = (0..len)
        .map(|i| 1.0 / f64::from(1 + i * 7919 % len))
        .collect();
    let back: Vec<f64> = xs.iter().rev().copied().collect();
    let must = back.par().sum::<f64>().to_bits();
    under_all!(|policy| {
        let ours = xs.par().splitting(policy).rev().sum::<f64>();
        assert_eq!(ours.to_bits(), must);
    });
}

#[test]
fn items_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all = |len| -> Vec<_> { (0..len).map(|i| census.bear(i)).collect() };
        let back: Vec<_> = all(LEN)
            .into_par()
            .splitting(policy)
            .rev()
            .inspect(|item| stop_at(at, item.value))
            .collect();
        assert!(
            back.iter()
                .rev()
                .enumerate()
                .all(|(i, item)| item.value == i)
        );
        let steps: Vec<_> = all(2 * LEN)
            .into_par()
            .chain(all(LEN))
            .splitting(policy)
            .step_by(7)
            .inspect(|item| stop_at(at, item.value % LEN))
            .rev()
            .collect();
        assert_eq!(steps.len(), (3 * LEN).div_ceil(7));
        assert_eq!(steps[steps.len() - 1].value, 0);
        // The operation ends early, while some pieces still have items.
        let found = all(LEN).into_par().splitting(policy).rev().step_by(2);
        let found = found.find_first(|item| item.value < LEN / 2);
        assert_eq!(found.map(|item| item.value), Some(LEN / 2 - 1));
    }));
}

#[test]
fn sequences_are_compared() {
    let xs: Vec<i64> = items(300);
    for at in [0, 1, 150, 299] {
        for by in [-1, 0, 1] {
            for len in [0, at, at + 1, 300] {
                let mut ys = xs.clone();
                ys[at] += by;
                ys.truncate(len);
                let fys: Vec<f64> = ys.iter().map(|y| *y as f64).collect();
                let mut fxs: Vec<f64> = xs.iter().map(|x| *x as f64).collect();
                fxs[200] = f64::NAN;
                under_all!(|policy| {
                    let ours = || xs.par().splitting(policy);
                    assert_eq!(ours().eq(&ys), xs == ys);
                    assert_eq!(ours().cmp(&ys), xs.cmp(&ys));
                    assert_eq!(ours().partial_cmp(&ys), xs.partial_cmp(&ys));
                    let floats = fxs.par().splitting(policy);
                    assert_eq!(floats.partial_cmp(&fys), fxs.partial_cmp(&fys));
                });
            }
        }
    }
    assert_eq!([(); 3].par().cmp(&[(); 4]), Ordering::Less);
}

#[test]
fn units_are_turned_round() {
    under_all!(|policy| {
        let units = || vec![(); 500].into_par().splitting(policy);
        assert_eq!(units().rev().count(), 500);
        assert_eq!(units().step_by(3).collect::<Vec<_>>().len(), 167);
    });
}

#[test]
fn comparisons_and_searches_from_behind_end_early() {
    const MANY: usize = 100_000_000;
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            let looked = AtomicUsize::new(0);
            let numbers = || {
                let numbers = (0..MANY).par();
                numbers.inspect(|_| {
                    looked.fetch_add(1, Relaxed);
                })
            };
            let zeros = || (0..MANY).par().map(|_| 0);
            assert!(!numbers().eq(zeros()));
            assert!(numbers().cmp(zeros()).is_gt());
            assert_eq!(numbers().partial_cmp(zeros()), Some(Ordering::Greater));
            let found = numbers().rev().find_first(|x| x % 1000 == 0);
            assert_eq!(found, Some(MANY - 1000));
            assert!(
                looked.load(Relaxed) < MANY / 2,
                "{looked:?} of {}",
                4 * MANY
            );
        });
    }
}
