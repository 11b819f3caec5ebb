//! Groups of neighbours as single items.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{ropes, same, under_all};
use crate::par::prelude::*;
use std::panic::catch_unwind;

/// Returns chunks of an iterator's items.
fn chunks<T: Clone>(items: impl Iterator<Item = T>, size: usize) -> Vec<Vec<T>> {
    let items: Vec<_> = items.collect();
    items.chunks(size).map(<[T]>::to_vec).collect()
}

same!(
    vectors,
    |xs, n| [1, 2, 7, 100, usize::MAX].map(|size| {
        let chunks = xs.clone().chunks(size);
        assert_eq!(chunks.len(), n.div_ceil(size));
        chunks.collect::<Vec<_>>()
    }),
    [1, 2, 7, 100, usize::MAX].map(|size| chunks(xs.clone(), size))
);
same!(
    vectors_from_behind_in_steps,
    |xs, n| [1, 2, 7].map(|size| {
        let chunks = xs.clone().map(|x| x.to_string()).chunks(size);
        chunks.enumerate().rev().step_by(2).collect::<Vec<_>>()
    }),
    [1, 2, 7].map(|size| {
        let chunks = chunks(xs.clone().map(|x| x.to_string()), size);
        let chunks = chunks.into_iter().enumerate().rev();
        chunks.step_by(2).collect::<Vec<_>>()
    })
);
same!(
    every_third_vector,
    |xs, n| xs.chunks(4).step_by(3).collect::<Vec<_>>(),
    chunks(xs, 4).into_iter().step_by(3).collect::<Vec<_>>()
);
same!(
    neighbours_are_folded,
    |xs, n| {
        let join = |text: String, x: &i64| format!("{text}{x},");
        let with = xs.clone().fold_chunks_with(3, "+".to_string(), join);
        let folded = xs.fold_chunks(5, String::new, join);
        with.interleave(folded).collect::<Vec<_>>()
    },
    {
        let join = |first: &str, xs: &[&i64]| {
            let join = |text, x: &&i64| format!("{text}{x},");
            xs.iter().fold(first.to_string(), join)
        };
        let all: Vec<_> = xs.collect();
        let mut with = all.chunks(3).map(|xs| join("+", xs));
        let mut joined = Vec::new();
        for folded in all.chunks(5).map(|xs| join("", xs)) {
            joined.extend(with.next());
            joined.push(folded);
        }
        joined.extend(with);
        joined
    }
);

#[test]
fn over_the_ends_of_leaves() {
    let xs = super::items(100);
    let theirs = chunks(xs.iter(), 8);
    for rope in ropes(&xs) {
        under_all!(|policy| {
            let chunks = rope.par().splitting(policy).chunks(8);
            assert_eq!(
                chunks.zip(0..99).map(|(xs, _)| xs).collect::<Vec<_>>(),
                theirs
            );
        });
    }
}

#[test]
fn none_is_too_few() {
    let _quiet = super::panics::Quiet::new();
    assert!(catch_unwind(|| (0..9).par().chunks(0).count()).is_err());
    assert!(catch_unwind(|| (0..9).par().fold_chunks(0, || 0, |a, b| a + b).count()).is_err());
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let all = all.into_par().splitting(policy).map(|item| {
            stop_at(at, item.value);
            item
        });
        let chunks: Vec<_> = all.chunks(7).collect();
        let items = chunks.iter().flatten().enumerate();
        assert!(items.into_iter().all(|(i, item)| item.value == i));
        let sums: Vec<_> = chunks
            .into_par()
            .splitting(policy)
            .flat_map_iter(|chunk| chunk)
            .collect::<Vec<_>>()
            .into_par()
            .splitting(policy)
            .fold_chunks(
                4,
                || census.bear(0),
                |sum, item| census.bear(sum.value + item.value),
            )
            .collect();
        let sum: usize = sums.iter().map(|sum| sum.value).sum();
        assert_eq!(sum, (0..LEN).sum());
    }));
}
