//! Checks operations with a scratch value.

use super::drops::{Census, Counted, LEN, stop_at, with_a_panic_at_each};
use super::{forced, pool, same, under_all, under_eager};
use crate::par::{Splitting, prelude::*};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Returns the number of digits of a number. The buffer is the scratch value.
pub(super) fn digits(buffer: &mut String, x: &i64) -> usize {
    use std::fmt::Write;
    buffer.clear();
    write!(buffer, "{x}").unwrap();
    buffer.len()
}

same!(
    maps_with_a_buffer,
    |xs, n| xs.map_init(String::new, digits).collect::<Vec<_>>(),
    xs.map(|x| x.to_string().len()).collect::<Vec<_>>()
);
same!(
    folds_items_mapped_with_a_buffer,
    |xs, n| xs
        .filter(|x| **x % 3 != 0)
        .map_init(String::new, digits)
        .map(|len| len.to_string())
        .reduce(String::new, |a, b| a + &b),
    xs.filter(|x| **x % 3 != 0)
        .map(|x| x.to_string().len().to_string())
        .collect::<String>()
);
same!(
    nested_sequences_have_buffers_of_their_own,
    |xs, n| xs
        .map_init(|| 0, |_, x| *x)
        .flat_map(|x| (0..x.rem_euclid(5)).par())
        .map_init(String::new, |buffer, x| digits(buffer, &(x * 99)))
        .flat_map_iter(|len| 0..len)
        .collect::<Vec<_>>(),
    xs.flat_map(|x| 0..x.rem_euclid(5))
        .flat_map(|x| 0..(x * 99).to_string().len())
        .collect::<Vec<_>>()
);

#[test]
fn a_part_has_one() {
    let made = AtomicUsize::new(0);
    let make = || made.fetch_add(1, Relaxed);
    pool(1).install(|| {
        let sum = (0..1_000_000_u64)
            .par()
            .map_init(make, |_, x| x)
            .sum::<u64>();
        assert_eq!(sum, 499_999_500_000);
        assert_eq!(made.swap(0, Relaxed), 1);
        // The sequence is split into halves down to single items, and each split makes a part.
        let numbers = (0..64).par().splitting(forced(1));
        assert_eq!(numbers.map_init(make, |_, x| x).max(), Some(63));
        assert_eq!(made.swap(0, Relaxed), 64);
    });
}

#[test]
fn nothing_has_none() {
    fn make() -> u8 {
        unreachable!("for nothing")
    }
    macro_rules! check {
        ($policy:expr) => {
            let nothing = || (0..0).par().splitting($policy);
            nothing().for_each_init(make, |_, _: i32| ());
            let mapped = || nothing().map_init(make, |_, x: i32| x);
            assert!(mapped().collect::<Vec<_>>().is_empty());
            assert!(mapped().filter(|x| *x > 0).collect::<Vec<_>>().is_empty());
            assert!(mapped().collect_rope(3).is_empty());
            assert_eq!(mapped().count(), 0);
            assert_eq!(mapped().sum::<i32>(), 0);
            assert_eq!(mapped().reduce(|| 7, |a, b| a + b), 7);
            assert_eq!(mapped().max(), None);
            assert_eq!(mapped().find_first(|_| true), None);
            let tried: Result<Vec<i32>, ()> = mapped().map(Ok).collect();
            assert_eq!(tried, Ok(Vec::new()));
            let float = nothing().map_init(make, |_, x| f64::from(x)).sum::<f64>();
            let like = nothing().map(f64::from).sum::<f64>();
            assert_eq!(float.to_bits(), like.to_bits());
            let nested = (0..5).par().splitting($policy).flat_map(|_| mapped());
            assert_eq!(nested.collect::<Vec<_>>(), []);
        };
    }
    under_all!(|policy| {
        check!(policy);
    });
    under_eager!(|policy| {
        check!(policy);
    });
}

#[test]
fn each_is_called_with_one() {
    under_all!(|policy| {
        let (units, all) = (vec![(); 300], AtomicUsize::new(0));
        units.par().splitting(policy).for_each_init(
            || 0,
            |count, ()| {
                *count += 1;
                all.fetch_add(1, Relaxed);
                assert!(*count <= 300);
            },
        );
        assert_eq!(all.into_inner(), 300);
    });
}

/// Maps counted items with a counted scratch value. The function panics at one of the items.
pub(super) fn mapped<'c>(
    census: &'c Census,
    at: usize,
    policy: impl Splitting,
) -> impl Indexed<Item = Counted<'c>> {
    let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
    all.into_par().splitting(policy).map_init(
        || census.bear(0),
        move |with, item| {
            stop_at(at, item.value);
            with.value += item.value;
            census.bear(item.value)
        },
    )
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let mapped: Vec<_> = mapped(census, at, policy).collect();
        assert!(mapped.iter().enumerate().all(|(i, item)| item.value == i));
        let made = (0..LEN)
            .par()
            .splitting(policy)
            .map_init(|| census.bear(0), |_, i| i);
        assert_eq!(made.find_first(|i| *i == LEN / 2), Some(LEN / 2));
    }));
}

#[test]
fn a_panic_while_making_a_scratch_value_reaches_the_caller() {
    let _quiet = super::panics::Quiet::new();
    let outcome = std::panic::catch_unwind(|| {
        (0..9)
            .par()
            .for_each_init(|| -> u8 { panic!("planted") }, |_, _| ());
    });
    assert!(outcome.is_err());
}
