//! Any of the items, whichever come first.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, pool, under_all};
use crate::par::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn so_many_are_taken_or_left_out() {
    for n in LENGTHS {
        for count in [0, 1, 5, 40, 2000] {
            under_all!(|policy| {
                let xs = || (0..*n).par().splitting(policy);
                let some: Vec<_> = xs().take_any(count).collect();
                assert_eq!(some.len(), count.min(*n));
                assert!(some.is_sorted_by(|a, b| a < b) && some.iter().all(|x| x < n));
                let most: Vec<_> = xs().skip_any(count).collect();
                assert_eq!(most.len(), n.saturating_sub(count));
                assert!(most.is_sorted_by(|a, b| a < b) && most.iter().all(|x| x < n));
            });
        }
    }
}

#[test]
fn items_before_one_that_is_not_such() {
    let xs = items(300);
    under_all!(|policy| {
        let is = |x: &&i64| **x != 11;
        let before: Vec<_> = xs.par().splitting(policy).take_any_while(is).collect();
        assert!(before.len() < 300 && before.iter().all(is));
        let all: Vec<_> = xs
            .par()
            .splitting(policy)
            .take_any_while(|_| true)
            .collect();
        assert_eq!(all, xs.iter().collect::<Vec<_>>());
        // Those that are not such are all there.
        let since: Vec<_> = xs.par().splitting(policy).skip_any_while(is).collect();
        let count = |xs: &[&i64]| xs.iter().filter(|x| !is(x)).count();
        assert_eq!(count(&since), count(&all));
        let none = xs.par().splitting(policy).skip_any_while(|_| true);
        assert_eq!(none.count(), 0);
    });
    // On one worker there is one order.
    pool(1).install(|| {
        let is = |x: &&i64| **x != 11;
        let before: Vec<_> = xs.par().take_any_while(is).collect();
        assert_eq!(before, xs.iter().take_while(is).collect::<Vec<_>>());
        let since: Vec<_> = xs.par().skip_any_while(is).collect();
        assert_eq!(since, xs.iter().skip_while(is).collect::<Vec<_>>());
        let both: Vec<_> = xs.par().skip_any(20).take_any(30).collect();
        assert_eq!(both, xs.iter().skip(20).take(30).collect::<Vec<_>>());
    });
}

/// Whatever is done with them: parts end anywhere.
#[test]
fn what_is_taken_can_be_folded() {
    under_all!(|policy| {
        let some = || (0..1500_u64).par().splitting(policy).take_any(700);
        let text = some()
            .map(|x| x.to_string() + ";")
            .reduce(String::new, |a, b| a + &b);
        let numbers: Vec<u64> = text
            .split_terminator(';')
            .map(|x| x.parse().unwrap())
            .collect();
        assert_eq!(numbers.len(), 700, "{text}");
        assert!(numbers.is_sorted_by(|a, b| a < b), "{text}");
        assert_eq!(some().map(|_| 1.0).sum::<f64>(), 700.0);
        assert_eq!(some().collect_rope(7).len(), 700);
        let all: Option<Vec<_>> = some().map(Some).collect();
        assert_eq!(all.map(|all| all.len()), Some(700));
        let nested = some().flat_map(|x| (0..x % 3).par().splitting(policy));
        assert!(nested.count() < 1500);
        // Of what is nested: that ends, and what it is nested in goes on. And the other way round.
        let inner = |_| (0..50).par().splitting(policy).take_any(3);
        assert_eq!((0..90).par().splitting(policy).flat_map(inner).count(), 270);
        let outer = (0..90).par().splitting(policy).flat_map(|_| 0..50);
        assert_eq!(outer.take_any(100).count(), 100);
    });
}

#[test]
fn nothing_much_is_looked_at_in_vain() {
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            let looked = AtomicUsize::new(0);
            let look = |x: u64| {
                looked.fetch_add(1, Relaxed);
                x
            };
            let some = || (0..100_000_000).par().map(look);
            assert_eq!(some().take_any(1000).count(), 1000);
            assert_eq!(some().take_any(0).count(), 0);
            some().take_any_while(|x| x % 1000 < 999).for_each(drop);
            let rows = (0..100_000).par().flat_map(|_| some());
            assert_eq!(rows.take_any(1000).count(), 1000);
            let looked = looked.into_inner();
            assert!(looked < 20_000_000, "{looked} of 10,000,300,000,000");
        });
    }
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all = || {
            let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
            all.into_par().splitting(policy)
        };
        assert_eq!(all().take_any(LEN / 2).collect::<Vec<_>>().len(), LEN / 2);
        let all = all().skip_any_while(|item| {
            stop_at(at, item.value);
            true
        });
        assert_eq!(all.take_any(5).collect::<Vec<_>>().len(), 0);
    }));
}
