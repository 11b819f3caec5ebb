//! Checks many races at the same time.

use crate::{Census, Counted};
use heist::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Returns the next pseudo-random number (xorshift), for the shapes of trees.
fn next(seed: u64) -> u64 {
    let seed = seed ^ (seed << 13);
    let seed = seed ^ (seed >> 7);
    seed ^ (seed << 17)
}

/// Panics without a message if `is` is true.
fn fall(is: bool) {
    if is {
        resume_unwind(Box::new("planted"));
    }
}

/// Returns true if any leaf of a random tree has a result. If `panics` is true, some leaves panic.
fn has_any(seed: u64, depth: u32, panics: bool) -> bool {
    let (left, right) = (next(seed ^ 0x9e37_79b9), next(seed ^ 0x7f4a_7c15));
    if depth == 0 {
        fall(panics && seed % 97 == 1);
        return seed % 31 == 0;
    }
    has_any(left, depth - 1, panics) | has_any(right, depth - 1, panics)
}

/// Searches the tree of [`has_any`] by races and joins. Each node has a counted value, and the result is a counted value, too.
fn search<'a>(census: &'a Census, seed: u64, depth: u32, panics: bool) -> Option<Counted<'a>> {
    let _value = census.counted();
    let (left, right) = (next(seed ^ 0x9e37_79b9), next(seed ^ 0x7f4a_7c15));
    if depth == 0 {
        fall(panics && seed % 97 == 1);
        return (seed % 31 == 0).then(|| census.counted());
    }
    let held = census.counted();
    let left = || {
        let _held = held;
        search(census, left, depth - 1, panics)
    };
    let right = || search(census, right, depth - 1, panics);
    match seed % 3 {
        0 => heist::race(left, right),
        1 => heist::race_hint(left, right),
        _ => {
            let (a, b) = heist::join(left, right);
            a.or(b)
        }
    }
}

#[test]
fn searches_of_random_trees_find_results_and_leak_nothing() {
    for workers in [1, 2, 8] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        for round in 1..=400_u64 {
            let seed = next(round * 0x2545_f491);
            let depth = (round % 8) as u32;
            let found = pool.install(|| search(&census, seed, depth, false));
            assert_eq!(
                found.is_some(),
                has_any(seed, depth, false),
                "{seed} {depth}"
            );
            drop(found);
            assert_eq!(census.alive(), 0, "{seed} {depth}");

            let found = catch_unwind(AssertUnwindSafe(|| {
                pool.install(|| search(&census, seed, depth, true))
            }));
            let expected = catch_unwind(|| has_any(seed, depth, true));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.is_some(), expected),
                // The search found a result before it came to the leaf that panics.
                (Ok(found), Err(_)) => assert!(found.is_some()),
                (Err(payload), Err(_)) => {
                    assert!(payload.downcast_ref::<&str>().is_some(), "{seed} {depth}");
                }
                (Err(_), Ok(_)) => panic!("a panic from nowhere: {seed} {depth}"),
            }
            assert_eq!(census.alive(), 0, "{seed} {depth}");
        }
    }
}
