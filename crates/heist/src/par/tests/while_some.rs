//! Checks sequences of the values before the first `None`.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{pool, same, under_all};
use crate::par::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Returns `None` for one item in forty.
fn usual(x: &i64) -> Option<i64> {
    (x.rem_euclid(40) != 7).then_some(*x)
}

same!(
    ends_at_the_first_none,
    |xs, n| xs.map(usual).while_some().collect::<Vec<_>>(),
    xs.map_while(usual).collect::<Vec<_>>()
);
same!(
    folds_up_to_the_first_none,
    |xs, n| xs
        .filter(|x| **x % 3 != 0)
        .map(usual)
        .while_some()
        .map(|x| x.to_string())
        .reduce(String::new, |a, b| a + &b),
    xs.filter(|x| **x % 3 != 0)
        .map_while(usual)
        .map(|x| x.to_string())
        .collect::<String>()
);
// A nested sequence ends while the outer one continues, and an outer sequence ends while a nested one continues.
same!(
    ends_only_the_nested_sequence_it_belongs_to,
    |xs, n| xs
        .flat_map(|x| (0..x.rem_euclid(9))
            .par()
            .map(|i| (i < 4).then_some(i))
            .while_some())
        .collect::<Vec<_>>(),
    xs.flat_map(|x| (0..x.rem_euclid(9)).map_while(|i| (i < 4).then_some(i)))
        .collect::<Vec<_>>()
);
same!(
    ends_all_that_is_nested_in_it,
    |xs, n| xs
        .enumerate()
        .flat_map(|(at, x)| (0..x.rem_euclid(9))
            .par()
            .map(move |i| (at < 20 || i < 4).then_some(i)))
        .while_some()
        .collect_rope(5),
    xs.enumerate()
        .flat_map(|(at, x)| (0..x.rem_euclid(9)).map(move |i| (at < 20 || i < 4).then_some(i)))
        .map_while(|x| x)
        .collect()
);

/// This test needs only one policy, which runs the loop as one chunk, like a short loop.
#[test]
fn ends_alone_where_it_is_short() {
    for threads in super::POOLS {
        pool(*threads).install(|| {
            for _ in 0..20 {
                let all = (0..50).par().flat_map(|_| {
                    let some = (0..9).par().map(|i| (i < 4).then_some(i));
                    some.while_some()
                });
                assert_eq!(all.count(), 200);
            }
        });
    }
}

#[test]
fn looks_at_nothing_much_behind() {
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            let looked = AtomicUsize::new(0);
            let look = |x: u64| {
                looked.fetch_add(1, Relaxed);
                (x < 1000).then_some(x)
            };
            let sum = (0..100_000_000).par().map(look).while_some().sum::<u64>();
            assert_eq!(sum, 499_500);
            let looked = looked.into_inner();
            assert!(looked < 20_000_000, "{looked} of 100,000,000");
        });
    }
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all: Vec<_> = (0..LEN + 9).map(|i| census.bear(i)).collect();
        let some = all.into_par().splitting(policy).map(|item| {
            stop_at(at, item.value);
            (item.value < LEN).then_some(item)
        });
        let some: Vec<_> = some.while_some().collect();
        assert!(some.iter().enumerate().all(|(i, item)| item.value == i));
        assert_eq!(some.len(), LEN);
    }));
}
