//! Compares the operations of parallel sequences with those of iterators, with splits at all places.
//!
//! `--cfg heist_brief` leaves out the tests of code that starts no threads, because ThreadSanitizer takes minutes to compile and run these
//! tests.

#![cfg_attr(heist_brief, allow(unused))]

#[cfg(not(heist_brief))]
mod bombs;
mod bridge;
#[cfg(not(heist_brief))]
mod chain;
#[cfg(not(heist_brief))]
mod clones;
#[cfg(not(heist_brief))]
mod collections;
#[cfg(not(heist_brief))]
mod compare;
mod drain;
mod drops;
mod early;
mod ends;
#[cfg(not(heist_brief))]
mod failures;
mod filters;
#[cfg(not(heist_brief))]
mod floats;
#[cfg(not(heist_brief))]
mod in_chunks;
#[cfg(not(heist_brief))]
mod interleave;
mod into_vec;
mod learned;
#[cfg(not(heist_brief))]
mod leftmost;
mod nested;
#[cfg(not(heist_brief))]
mod nothing;
#[cfg(not(heist_brief))]
mod operations;
#[cfg(not(heist_brief))]
mod order;
mod panics;
mod partitions;
#[cfg(not(heist_brief))]
mod pieces;
#[cfg(not(heist_brief))]
mod pipelines;
mod places;
mod positions;
#[cfg(not(heist_brief))]
mod results;
#[cfg(not(heist_brief))]
mod rope_drops;
#[cfg(not(heist_brief))]
mod ropes;
mod scratch;
#[cfg(not(heist_brief))]
mod sources;
#[cfg(not(heist_brief))]
mod strings;
#[cfg(not(heist_brief))]
mod tuples;
mod ways;
mod while_some;

use super::Rope;
use super::prelude::*;
use super::splitting::forced::Forced;
use crate::Pool;
use ways::{WAYS, forced, policies};

/// The numbers of workers of the pools. Miri has time for only one pool.
const POOLS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 8] };

/// Runs the expression under forced splits of every kind and under both lazy policies, in pools of several sizes. The eager policies are
/// left out because they split with the same function as the forced policies. Each further policy would cost time, because the compiler
/// compiles each operation once for each policy.
macro_rules! under_all {
    (|$policy:ident| $body:expr) => {
        for threads in crate::par::tests::POOLS {
            let pool = crate::Pool::new(*threads).unwrap();
            pool.install(|| {
                for $policy in crate::par::tests::policies() {
                    $body;
                }
            });
        }
    };
}
use under_all;

/// Runs the expression under the eager policies.
macro_rules! under_eager {
    (|$policy:ident| $body:expr) => {
        for threads in crate::par::tests::POOLS {
            crate::Pool::new(*threads).unwrap().install(|| {
                for threshold in [0, 1, 3, 1000] {
                    let $policy = crate::par::Eager(threshold);
                    $body;
                }
                let $policy = crate::par::Tary(2);
                $body;
                let $policy = crate::par::Structural;
                $body;
            });
        }
    };
}
use under_eager;

/// The lengths to try: 0, 1, numbers near powers of two, and numbers near the lengths of a fold's leaves.
const LENGTHS: &[usize] = if cfg!(miri) {
    &[0, 1, 5, 17]
} else {
    &[0, 1, 2, 3, 7, 16, 33, 100, 257, 1500]
};

fn pool(threads: usize) -> Pool {
    Pool::new(threads).unwrap()
}

fn items(len: usize) -> Vec<i64> {
    (0..len as i64).map(|i| i * 37 % 101 - 50).collect()
}

/// Returns ropes of the same items, in trees of many shapes.
fn ropes(items: &[i64]) -> Vec<Rope<i64>> {
    let one_by_one = items.iter().fold(Rope::with_leaf(3), |rope, x| {
        rope.concat([*x].into_par().collect_rope(3))
    });
    let backwards = items.iter().rev().fold(Rope::with_leaf(5), |rope, x| {
        let first: Rope<i64> = [*x].into_par().collect_rope(5);
        first.concat(rope)
    });
    let built = items.par().copied().collect_rope(7);
    let cut = items.len() / 3;
    let again = built.slice(cut..);
    vec![
        items.to_vec().into(),
        one_by_one,
        backwards,
        built.slice(..cut).concat(again),
    ]
}

/// Compares a chain of operations on `par()` with the same chain on `iter()`, for all lengths and policies. The second variable of the
/// pattern is the length.
macro_rules! same {
    ($name:ident, |$xs:ident, $n:ident| $ours:expr, $theirs:expr) => {
        #[test]
        fn $name() {
            for &$n in crate::par::tests::LENGTHS {
                let all = crate::par::tests::items($n);
                let theirs = {
                    let $xs = all.iter();
                    $theirs
                };
                crate::par::tests::under_all!(|policy| {
                    let ours = {
                        let $xs = all.par().splitting(policy);
                        $ours
                    };
                    assert_eq!(ours, theirs, "{} items", $n);
                });
            }
        }
    };
}
use same;
