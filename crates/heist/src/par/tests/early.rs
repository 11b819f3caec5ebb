//! Operations that end before all items have been checked.

use super::{pool, under_all};
use crate::par::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn the_first_is_found() {
    let xs: Vec<u32> = (0..2000).collect();
    for from in [0, 1, 500, 1999, 2000] {
        under_all!(|policy| {
            let found = xs.par().splitting(policy).find_first(|x| **x >= from);
            assert_eq!(found, xs.iter().find(|x| **x >= from));
            let at = xs.par().splitting(policy).map(|x| *x).enumerate();
            assert_eq!(at.find_first(|(_, x)| *x >= from).is_some(), from < 2000);
            let any = xs.par().splitting(policy).find_any(|x| **x >= from);
            assert_eq!(any.is_some(), from < 2000);
            assert!(any.is_none_or(|x| *x >= from));
            assert_eq!(xs.par().splitting(policy).any(|x| *x >= from), from < 2000);
            let high = |x: &u32| (*x >= from).then_some(x + 7);
            let found = xs.par().splitting(policy).find_map_first(high);
            assert_eq!(found, xs.iter().find_map(high));
            let any = xs.par().splitting(policy).find_map_any(high);
            assert_eq!(any.is_some(), from < 2000);
            assert!(any.is_none_or(|x| x >= from + 7));
            let at = xs.par().splitting(policy).position_any(|x| *x >= from);
            assert_eq!(at.is_some(), from < 2000);
            assert!(at.is_none_or(|at| at >= from as usize));
            assert_eq!(xs.par().splitting(policy).all(|x| *x < from), from == 2000);
        });
    }
}

#[test]
fn the_last_is_found() {
    let xs: Vec<u32> = (0..2000).collect();
    for to in [0, 1, 500, 1999, 2000] {
        under_all!(|policy| {
            let found = xs.par().splitting(policy).find_last(|x| **x < to);
            assert_eq!(found, xs.iter().rfind(|x| **x < to));
            let triples = xs.par().splitting(policy).filter(|x| **x % 3 == 1);
            let found = triples.map(Box::new).find_last(|x| **x < &to);
            let triples = xs.iter().filter(|x| **x % 3 == 1);
            assert_eq!(found, triples.map(Box::new).rfind(|x| **x < &to));
        });
    }
}

#[test]
fn the_last_is_found_in_what_is_nested() {
    under_all!(|policy| {
        let pairs = (0..40).par().splitting(policy);
        let found = pairs
            .flat_map(move |i| (0..40).par().splitting(policy).map(move |j| (i, j)))
            .find_last(|(i, j)| i * j % 100 == 1);
        let pairs = (0..40).flat_map(|i| (0..40).map(move |j| (i, j)));
        assert_eq!(found, pairs.into_iter().rfind(|(i, j)| i * j % 100 == 1));
    });
}

#[test]
fn what_stands_left_of_the_last_is_not_begun() {
    let looked = AtomicUsize::new(0);
    // The right half of the remaining items begins before the left half, so the left half is skipped after the match.
    pool(2).install(|| {
        let found = (0..1_000_000_u64).par().find_last(|x| {
            looked.fetch_add(1, Relaxed);
            if *x < 10 {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            true
        });
        assert_eq!(found, Some(999_999));
    });
    let looked = looked.into_inner();
    assert!(looked < 800_000, "{looked} of 1,000,000");
}

#[test]
fn the_first_is_found_in_what_is_nested() {
    under_all!(|policy| {
        let pairs = (0..40).par().splitting(policy);
        let found = pairs
            .flat_map(move |i| (0..40).par().splitting(policy).map(move |j| (i, j)))
            .find_first(|(i, j)| i * j >= 300);
        let pairs = (0..40).flat_map(|i| (0..40).map(move |j| (i, j)));
        assert_eq!(found, pairs.into_iter().find(|(i, j)| i * j >= 300));
    });
}

#[test]
fn a_position_is_found() {
    let xs = [3, 1, 4, 1, 5];
    assert_eq!(xs.par().position_first(|x| *x == 1), Some(1));
    assert_eq!(xs.par().position_first(|x| *x == 9), None);
}

#[test]
fn a_search_ends_early() {
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            let looked = AtomicUsize::new(0);
            let found = (0..100_000_000_u64).par().find_any(|x| {
                looked.fetch_add(1, Relaxed);
                *x % 1000 == 999
            });
            assert!(found.is_some());
            let look = |x: u64| {
                looked.fetch_add(1, Relaxed);
                (x % 1000 == 999).then_some(x)
            };
            assert!((0..100_000_000).par().find_map_any(look).is_some());
            assert_eq!(
                (0..100_000_000).par().find_map_first(look),
                Some(999),
                "{looked:?}"
            );
            let at = (0..100_000_000).par().position_any(|x| look(x).is_some());
            assert_eq!(at.map(|at| at % 1000), Some(999));
            assert!(
                looked.load(Relaxed) < 40_000_000,
                "{looked:?} of 400,000,000"
            );
        });
    }
}

#[test]
fn what_is_nested_in_a_search_ends_early() {
    pool(2).install(|| {
        let looked = AtomicUsize::new(0);
        let any = (0..1000_u64)
            .par()
            .flat_map(|_| (0..1_000_000_u64).par())
            .any(|x| {
                looked.fetch_add(1, Relaxed);
                x == 5
            });
        assert!(any);
        assert!(
            looked.load(Relaxed) < 10_000_000,
            "{looked:?} of 1,000,000,000"
        );
    });
}

#[test]
fn what_is_found_in_a_nested_sequence_ends_the_outer_one() {
    pool(1).install(|| {
        let looked = AtomicUsize::new(0);
        let found = (0..2000)
            .par()
            .flat_map(|_| (0..100).par())
            .find_first(|x| {
                looked.fetch_add(1, Relaxed);
                *x == 0
            });
        assert_eq!((found, looked.into_inner()), (Some(0), 1));

        let mapped = AtomicUsize::new(0);
        let all: Result<Vec<i32>, i32> = (0..2000)
            .par()
            .flat_map(|_| (0..100).par())
            .map(|x| {
                mapped.fetch_add(1, Relaxed);
                if x == 0 { Err(x) } else { Ok(x) }
            })
            .collect();
        assert_eq!(all, Err(0));
        assert!(mapped.into_inner() <= 100);
    });
}

#[test]
fn what_one_position_has_become_ends_early() {
    pool(1).install(|| {
        let looked = AtomicUsize::new(0);
        let look = |_: u32| looked.fetch_add(1, Relaxed);
        let numbers = || (0..3).par().flat_map_iter(|_| 0..).flat_map(|x| [x]);
        assert_eq!(numbers().find_first(|x| look(*x) == 0), Some(0));
        assert_eq!(numbers().find_any(|x| look(*x) == 2), Some(1));
        assert_eq!(
            numbers().try_for_each(|x| (look(x) < 5).then_some(())),
            None
        );
        assert_eq!(looked.into_inner(), 6);
    });
}
