//! Checks that items keep their positions in operations with a scratch value.

use super::drops::{Census, LEN, with_a_panic_at_each};
use super::scratch::{digits, mapped};
use super::{forced, pool, ropes, same, under_all};
use crate::par::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

same!(
    mapped_items_are_numbered_and_reversed,
    |xs, n| xs
        .map_init(String::new, digits)
        .enumerate()
        .rev()
        .collect::<Vec<_>>(),
    xs.map(|x| x.to_string().len())
        .enumerate()
        .rev()
        .collect::<Vec<_>>()
);
same!(
    mapped_items_are_zipped_and_chained,
    |xs, n| xs
        .clone()
        .map_with(String::new(), digits)
        .rev()
        .zip(xs.map_init(String::new, digits).chain(0..n).skip(n / 3))
        .filter(|(_, b)| b % 3 > 0)
        .collect::<Vec<_>>(),
    xs.clone()
        .map(|x| x.to_string().len())
        .rev()
        .zip(xs.map(|x| x.to_string().len()).chain(0..n).skip(n / 3))
        .filter(|(_, b)| b % 3 > 0)
        .collect::<Vec<_>>()
);
same!(
    mapped_items_are_scanned_and_nested,
    |xs, n| {
        let mapped = xs.map_init(String::new, digits);
        let numbered = mapped.clone().enumerate();
        let nested = numbered.flat_map(|(at, len)| (0..len).par().map(move |i| at * i));
        (
            mapped.step_by(2).inclusive_scan(|a, b| a + b),
            nested.collect::<Vec<_>>(),
        )
    },
    {
        let lengths = xs.map(|x| x.to_string().len());
        let numbered = lengths.clone().enumerate();
        let sums = lengths.step_by(2).scan(0, |sum, len| {
            *sum += len;
            Some(*sum)
        });
        let nested = numbered.flat_map(|(at, len)| (0..len).map(move |i| at * i));
        (sums.collect::<Vec<_>>(), nested.collect::<Vec<_>>())
    }
);

#[test]
fn beside_ropes_and_in_place() {
    let xs = super::items(100);
    let lengths: Vec<_> = xs.iter().map(|x| x.to_string().len()).collect();
    for rope in ropes(&xs) {
        under_all!(|policy| {
            let mapped = rope.par().splitting(policy).map_init(String::new, digits);
            let pairs: Vec<_> = mapped.zip(&lengths).collect();
            assert!(pairs.iter().all(|(ours, theirs)| ours == *theirs));
            let mapped = rope.par().splitting(policy).map_init(String::new, digits);
            let mut target = vec![0; 100];
            mapped.write_to(&mut target);
            assert_eq!(target, lengths);
        });
    }
}

#[test]
fn a_part_has_one() {
    let made = AtomicUsize::new(0);
    let make = || made.fetch_add(1, Relaxed);
    pool(1).install(|| {
        let mapped = (0..1_000_000_u64).par().map_init(make, |_, x| x);
        assert_eq!(mapped.rev().sum::<u64>(), 499_999_500_000);
        assert_eq!(made.swap(0, Relaxed), 1);
        let mapped = (0..1_000_000_u64).par().map_init(make, |_, x| x);
        assert_eq!(mapped.enumerate().count(), 1_000_000);
        assert_eq!(made.swap(0, Relaxed), 1);
        let mapped = (0..64).par().splitting(forced(1)).map_init(make, |_, x| x);
        assert_eq!(mapped.enumerate().max(), Some((63, 63)));
        assert_eq!(made.swap(0, Relaxed), 64);
        // The items of a short chunk share one value, although the chunk is cut for each item.
        let mapped = (0..9).par().splitting(crate::par::Eager(1000));
        let mapped = mapped.map_init(make, |_, x| x).enumerate();
        assert_eq!(mapped.flat_map(|(_, x)| 0..x).count(), 36);
        assert_eq!(made.swap(0, Relaxed), 1);
        let mapped = (0..0).par().map_init(make, |_, x: usize| x);
        assert_eq!(mapped.zip(0..9).count(), 0);
        assert_eq!(made.swap(0, Relaxed), 0);
    });
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let mapped: Vec<_> = mapped(census, at, policy).rev().enumerate().collect();
        assert!(mapped.iter().all(|(i, item)| item.value + i + 1 == LEN));
    }));
}
