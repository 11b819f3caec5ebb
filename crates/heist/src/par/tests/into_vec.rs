//! Checks operations that reuse vectors.

use super::drops::{Census, Counted, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, under_all};
use crate::par::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn the_room_is_used_again() {
    for n in LENGTHS {
        let xs = items(*n);
        let texts: Vec<_> = xs.iter().map(i64::to_string).collect();
        under_all!(|policy| {
            let mut numbers = vec![7; 2000];
            let mut strings = Vec::with_capacity(2000);
            strings.push("old".to_string());
            let rooms = (numbers.as_ptr(), strings.as_ptr());
            xs.par()
                .splitting(policy)
                .copied()
                .collect_into_vec(&mut numbers);
            assert_eq!(numbers, xs);
            let pairs = xs.par().splitting(policy).map(|x| (*x, x.to_string()));
            pairs.unzip_into_vecs(&mut numbers, &mut strings);
            assert_eq!((&numbers, &strings), (&xs, &texts));
            assert_eq!(rooms, (numbers.as_ptr(), strings.as_ptr()));
            // One vector has items of zero size, and the other vector has no memory before the operation.
            let mut strings = Vec::new();
            let mut units = vec![(); 3];
            let pairs = xs.par().splitting(policy).map(|x| ((), x.to_string()));
            pairs.unzip_into_vecs(&mut units, &mut strings);
            assert_eq!((units.len(), &strings), (*n, &texts));
        });
    }
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let mut all: Vec<_> = (0..3).map(|i| census.bear(i)).collect();
        let mut values: Vec<Counted<'_>> = (0..99).map(|i| census.bear(i)).collect();
        let run = || {
            let pairs = (0..LEN).par().splitting(policy).map(|i| {
                let left = census.bear(i);
                stop_at(at, i);
                (left, census.bear(i + 1))
            });
            pairs.unzip_into_vecs(&mut all, &mut values);
            let items = all.iter().zip(&values).enumerate();
            assert!(
                items
                    .into_iter()
                    .all(|(i, (a, b))| a.value == i && b.value == i + 1)
            );
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        let len = if outcome.is_ok() { LEN } else { 0 };
        assert_eq!((all.len(), values.len()), (len, len));

        let again = AssertUnwindSafe(|| {
            let items = (0..LEN).par().splitting(policy).map(|i| {
                stop_at(at, i);
                census.bear(i)
            });
            items.collect_into_vec(&mut all);
        });
        let outcome = catch_unwind(again);
        assert_eq!(all.len(), len);
        if let Err(payload) = outcome {
            std::panic::resume_unwind(payload);
        }
    }));
}
