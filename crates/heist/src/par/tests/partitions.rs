//! Operations that make two collections from one sequence.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{same, under_all};
use crate::par::prelude::*;
use either::Either::{self, Left, Right};
use std::collections::{BTreeMap, BinaryHeap, LinkedList};

/// Puts some items to the left, and the texts of all other items to the right.
fn part(x: &i64) -> Either<i64, String> {
    if x % 3 == 0 {
        Left(*x)
    } else {
        Right(x.to_string())
    }
}

same!(
    two_of_what_is_made,
    |xs, n| xs
        .filter(|x| **x % 5 != 0)
        .partition_map::<Vec<_>, LinkedList<_>, _, _, _>(part),
    {
        let (mut left, mut right) = (Vec::new(), LinkedList::new());
        xs.filter(|x| **x % 5 != 0).for_each(|x| match part(x) {
            Left(x) => left.push(x),
            Right(text) => right.push_back(text),
        });
        (left, right)
    }
);
same!(
    two_of_those_that_are_such,
    |xs, n| xs.partition::<Vec<&i64>, _>(|x| **x > 20),
    xs.partition::<Vec<&i64>, _>(|x| **x > 20)
);
same!(
    two_of_pairs_in_place,
    |xs, n| xs
        .map(|x| (x.to_string(), (*x, x % 7)))
        .unzip::<_, _, Vec<_>, (Vec<_>, Vec<_>)>(),
    xs.map(|x| (x.to_string(), (*x, x % 7)))
        .unzip::<_, _, Vec<_>, (Vec<_>, Vec<_>)>()
);
same!(
    two_of_what_is_nested,
    |xs, n| xs
        .flat_map(|x| (0..x.rem_euclid(7)).par().map(move |i| (x.to_string(), i)))
        .unzip::<_, _, String, Vec<_>>(),
    xs.flat_map(|x| (0..x.rem_euclid(7)).map(move |i| (x.to_string(), i)))
        .unzip::<_, _, String, Vec<_>>()
);
same!(
    a_table_and_a_heap,
    |xs, n| {
        let (table, heap): (BTreeMap<_, _>, BinaryHeap<_>) = xs.map(|x| ((x % 9, *x), *x)).unzip();
        (table, heap.into_sorted_vec())
    },
    {
        let (table, heap): (BTreeMap<_, _>, BinaryHeap<_>) = xs.map(|x| ((x % 9, *x), *x)).unzip();
        (table, heap.into_sorted_vec())
    }
);

#[test]
fn pairs_are_added() {
    under_all!(|policy| {
        let mut both = (vec![7], vec!["old".to_string()]);
        let pairs = (0..100).par().splitting(policy).map(|x| (x, x.to_string()));
        both.par_extend(pairs.filter(|(x, _)| x % 10 == 0));
        assert_eq!(both.0, [7, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!((both.1.len(), both.1[10].as_str()), (11, "90"));
        let units = vec![(); 100].into_par().splitting(policy).filter(|()| true);
        let (all, none): (Vec<_>, Vec<_>) = units.partition(|()| true);
        assert_eq!((all.len(), none.len()), (100, 0));
    });
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let all = all.into_par().splitting(policy);
        let (thirds, others): (Vec<_>, Vec<_>) = all.partition_map(|item| {
            stop_at(at, item.value);
            if item.value % 3 == 0 {
                Left(item)
            } else {
                Right((item, census.bear(7)))
            }
        });
        assert!(
            thirds
                .iter()
                .enumerate()
                .all(|(i, item)| item.value == 3 * i)
        );
        assert_eq!(others.len(), LEN - LEN.div_ceil(3));
        let (items, sevens): (Vec<_>, LinkedList<_>) = others.into_par().unzip();
        let values = (0..LEN).filter(|i| i % 3 > 0);
        assert!(items.iter().map(|item| item.value).eq(values));
        assert!(sevens.iter().all(|item| item.value == 7));
    }));
}
