//! Checks ranges of characters, sequences of at most one item, and values that a function divides.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{pool, under_all};
use crate::par::prelude::*;
use crate::par::{empty, once, repeat_n, split};
use std::collections::LinkedList;

#[test]
fn ranges_of_characters() {
    let ends = [
        '\0',
        'a',
        'f',
        '\u{d7ff}',
        '\u{e000}',
        '\u{e005}',
        char::MAX,
    ];
    for start in ends {
        for end in ends {
            assert_eq!((start..end).par().len(), (start..end).count());
            assert_eq!((start..=end).par().len(), (start..=end).count());
            if (start..=end).par().len() > 200 {
                continue;
            }
            under_all!(|policy| {
                let ours: String = (start..end).par().splitting(policy).collect();
                assert_eq!(ours, (start..end).collect::<String>());
                let ours: Vec<_> = (start..=end).par().splitting(policy).rev().collect();
                assert_eq!(ours, (start..=end).rev().collect::<Vec<_>>());
            });
        }
    }
    let high = ('\u{d700}'..='\u{e100}').par();
    let must: Vec<char> = ('\u{d700}'..='\u{e100}').collect();
    under_all!(|policy| {
        let ours: Vec<_> = high.clone().splitting(policy).collect();
        assert_eq!(ours, must);
    });
}

#[test]
fn one_or_none() {
    let mut some = Some(Box::new(7));
    let mut good: Result<Box<i32>, String> = Ok(Box::new(8));
    let mut bad: Result<Box<i32>, String> = Err("bad".into());
    under_all!(|policy| {
        assert_eq!(some.par().splitting(policy).count(), 1);
        some.par_mut()
            .chain(&mut good)
            .chain(&mut bad)
            .for_each(|x| **x += 1);
        let all = some
            .clone()
            .into_par()
            .chain(good.clone())
            .chain(bad.clone());
        let all: Vec<_> = all
            .chain(None)
            .splitting(policy)
            .rev()
            .map(|x| *x)
            .collect();
        assert_eq!(all, [**good.as_ref().unwrap(), **some.as_ref().unwrap()]);
        let all = once(3)
            .chain(empty())
            .chain(repeat_n(5, 3))
            .splitting(policy);
        assert_eq!(all.collect::<Vec<_>>(), [3, 5, 5, 5]);
        let nested = [Some(1), None, Some(2)]
            .into_par()
            .splitting(policy)
            .flatten();
        assert_eq!(nested.collect::<Vec<_>>(), [1, 2]);
    });
}

#[test]
fn lists_are_sequences() {
    let mut list: LinkedList<i64> = (0..100).collect();
    under_all!(|policy| {
        list.par_mut().splitting(policy).for_each(|x| *x += 1);
        let ours: Vec<_> = list.par().splitting(policy).copied().collect();
        assert_eq!(ours, list.iter().copied().collect::<Vec<_>>());
        let ours: LinkedList<_> = list.clone().into_par().splitting(policy).collect();
        assert_eq!(ours, list);
    });
}

/// Divides the items into the first third and all further items. A piece of at most three items cannot be split.
fn thirds(mut all: Vec<usize>) -> (Vec<usize>, Option<Vec<usize>>) {
    if all.len() <= 3 {
        return (all, None);
    }
    let right = all.split_off(all.len() / 3);
    (all, Some(right))
}

#[test]
fn pieces_of_a_split_come_in_order() {
    let all: Vec<usize> = (0..300).collect();
    let sum = split(all.clone(), thirds)
        .map(|piece| 0.1 / (1.0 + piece[0] as f64))
        .sum::<f64>();
    for threads in super::POOLS {
        pool(*threads).install(|| {
            for _ in 0..20 {
                let pieces = || split(all.clone(), thirds);
                assert_eq!(pieces().flatten().collect::<Vec<_>>(), all);
                assert!(pieces().all(|piece| (1..=3).contains(&piece.len())));
                let floats = pieces().map(|piece| 0.1 / (1.0 + piece[0] as f64));
                assert_eq!(floats.sum::<f64>().to_bits(), sum.to_bits());
                let found = pieces().find_first(|piece| piece.contains(&77));
                assert!(found.unwrap().contains(&77));
                let found = pieces().flatten().find_last(|x| x % 7 == 0);
                assert_eq!(found, Some(294));
                let nested = (0..10)
                    .par()
                    .flat_map(|n| split((0..n * 5).collect(), thirds));
                let must: Vec<usize> = (0..10).flat_map(|n| 0..n * 5).collect();
                assert_eq!(nested.flatten().collect::<Vec<_>>(), must);
                let whole = pieces().splitting(crate::par::Eager(usize::MAX));
                assert_eq!(whole.count(), pieces().count());
            }
        });
    }
}

#[test]
fn items_of_a_split_are_dropped_once() {
    for threads in super::POOLS {
        pool(*threads).install(|| {
            for in_function in [false, true] {
                with_a_panic_at_each(|census: &Census, at| {
                    let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
                    let pieces = split(all, |mut all| {
                        if all.len() == 1 {
                            if in_function {
                                stop_at(at, all[0].value);
                            }
                            return (all, None);
                        }
                        let right = all.split_off(all.len() / 3 + usize::from(all.len() < 3));
                        (all, Some(right))
                    });
                    let items: Vec<_> = pieces
                        .flat_map(|piece| piece)
                        .inspect(|item| {
                            if !in_function {
                                stop_at(at, item.value);
                            }
                        })
                        .collect();
                    assert!(items.iter().enumerate().all(|(i, item)| item.value == i));
                });
            }
        });
    }
}

#[test]
fn the_leftmost_panic_in_pieces_of_a_split_wins() {
    let _quiet = super::panics::Quiet::new();
    for threads in super::POOLS {
        pool(*threads).install(|| {
            for _ in 0..50 {
                let outcome = std::panic::catch_unwind(|| {
                    split((0..100).collect(), thirds).for_each(|piece| {
                        assert!(piece[0] < 40, "planted {}", piece[0]);
                    });
                });
                let must = split((0..100).collect(), thirds).find_first(|piece| piece[0] >= 40);
                let text = outcome.unwrap_err().downcast::<String>().unwrap();
                assert_eq!(*text, format!("planted {}", must.unwrap()[0]));
            }
        });
    }
}
