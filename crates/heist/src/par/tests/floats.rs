//! Checks that operations on floats return the same bits on any number of workers.

use super::{pool, under_all, under_eager};
use crate::par::prelude::*;

fn values(len: usize) -> Vec<f64> {
    (0..len)
        .map(|i| 1.0 / (1.0 + (i * 7919 % len) as f64))
        .collect()
}

/// Returns a hash of all values, which depends on their order.
fn hash(xs: &[f64]) -> f64 {
    xs.iter().fold(0.0, |hash, x| hash * 0.7 + x)
}

/// Returns the results of all kinds of reductions, as bits.
fn reductions(xs: &[f64], policy: impl crate::par::Splitting) -> Vec<u64> {
    let xs = || xs.par().splitting(policy);
    let nested = xs().enumerate().flat_map(move |(i, &x)| {
        (0..i % 5)
            .par()
            .splitting(policy)
            .map(move |j| x / (1 + j) as f64)
    });
    vec![
        xs().sum::<f64>(),
        xs().map(|x| 1.0 + x / 1e3).product::<f64>(),
        xs().copied().reduce(|| 0.0, |a, b| a + b),
        xs().copied().reduce_with(|a, b| a + b).unwrap_or(-1.0),
        xs().fold_reduce(|| 0.0, |a, x| a + x, |a, b| a + b),
        xs().filter(|x| **x < 0.01).sum::<f64>(),
        xs().filter(|x| **x < 0.01)
            .copied()
            .reduce(|| 0.0, |a, b| a + b),
        nested.sum::<f64>(),
        hash(&xs().copied().inclusive_scan(|a, b| a + b)),
        hash(&xs().copied().exclusive_scan(0.1, |a, b| a + b).0),
        xs().copied().exclusive_scan(0.1, |a, b| a + b).1,
        xs().try_fold_reduce(|| 0.0, |a, x| Some(a + x), |a, b| Some(a + b))
            .unwrap_or(-1.0),
        xs().map(|x| Some(*x))
            .try_reduce(|| 0.0, |a, b| Some(a + b))
            .unwrap_or(-1.0),
        xs().map(|x| *x as f32).sum::<f32>().into(),
        xs().map(|x| 1.0 + *x as f32 / 1e3).product::<f32>().into(),
        xs().map(|x| *x as f32).reduce(|| 0.0, |a, b| a + b).into(),
    ]
    .into_iter()
    .map(f64::to_bits)
    .collect()
}

#[test]
fn a_schedule_does_not_show() {
    let lens: &[usize] = if cfg!(miri) {
        &[0, 1, 17]
    } else if cfg!(debug_assertions) {
        &[0, 1, 100, 1025, 4097]
    } else {
        &[0, 1, 5, 100, 1023, 1024, 1025, 3000, 4097, 9000]
    };
    for &len in lens {
        let xs = values(len);
        let must = pool(1).install(|| reductions(&xs, crate::par::Eager(usize::MAX)));
        under_all!(|policy| assert_eq!(reductions(&xs, policy), must, "{len} items"));
        under_eager!(|policy| assert_eq!(reductions(&xs, policy), must, "{len} items"));
    }
}

#[test]
fn the_number_of_workers_does_not_show() {
    let xs = values(if cfg!(debug_assertions) {
        20_000
    } else {
        100_000
    });
    let must = pool(1).install(|| reductions(&xs, crate::par::Lazy));
    for threads in [2, 3, 8, 64] {
        let pool = pool(threads);
        for _ in 0..3 {
            assert_eq!(pool.install(|| reductions(&xs, crate::par::Lazy)), must);
            let ours = pool.install(|| reductions(&xs, crate::par::Innermost));
            assert_eq!(ours, must);
        }
    }
}

/// Returns the sum of a leaf, computed by four accumulators that take turns.
fn leaf(xs: &[f64]) -> f64 {
    let mut lanes = [-0.0; 4];
    for x in xs {
        lanes = [lanes[1], lanes[2], lanes[3], lanes[0] + x];
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

#[test]
fn sums_have_the_shape_that_is_promised() {
    for len in [0, 1, 2, 3, 500, 4096] {
        let xs = values(len);
        let ours: f64 = xs.par().sum();
        assert_eq!(ours.to_bits(), leaf(&xs).to_bits(), "{len}");
    }
    let xs = values(3 * 4096 + 5);
    let leaves: Vec<f64> = xs.chunks(4096).map(leaf).collect();
    let must = (leaves[0] + leaves[1]) + (leaves[2] + leaves[3]);
    assert_eq!(xs.par().sum::<f64>().to_bits(), must.to_bits());
    let xs = values(5 * 4096);
    let leaves: Vec<f64> = xs.chunks(4096).map(leaf).collect();
    let must = ((leaves[0] + leaves[1]) + (leaves[2] + leaves[3])) + leaves[4];
    assert_eq!(xs.par().sum::<f64>().to_bits(), must.to_bits());
    // The results for `f32` also have a fixed shape.
    let narrow: Vec<f32> = values(3 * 4096 + 5).iter().map(|x| *x as f32).collect();
    let leaf = |xs: &[f32]| {
        let mut lanes = [-0.0_f32; 4];
        for (i, x) in xs.iter().enumerate() {
            lanes[i % 4] += x;
        }
        lanes.rotate_left(xs.len() % 4);
        (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    };
    let leaves: Vec<f32> = narrow.chunks(4096).map(leaf).collect();
    let must = (leaves[0] + leaves[1]) + (leaves[2] + leaves[3]);
    assert_eq!(narrow.par().sum::<f32>().to_bits(), must.to_bits());
    // The sum of no items is the same as that of an empty iterator, `-0.0`.
    assert!(values(0).par().sum::<f64>().is_sign_negative());
}

#[test]
fn reductions_have_the_shape_that_is_promised() {
    let fold = |xs: &[f64]| xs.iter().fold(0.0, |a, x| a + x);
    let xs = values(8200);
    let must = (fold(&xs[..4096]) + fold(&xs[4096..8192])) + fold(&xs[8192..]);
    let ours = xs.par().copied().reduce(|| 0.0, |a, b| a + b);
    assert_eq!(ours.to_bits(), must.to_bits());
    // Sequences of items that own memory are cut into more leaves, because combining such items may take long.
    let nested = |s: String, x: &u32| format!("({s}{x})");
    let ours = [1, 2, 3]
        .par()
        .fold_reduce(String::new, nested, |a, b| format!("[{a}{b}]"));
    assert_eq!(ours, "[[(1)(2)](3)]");
}
