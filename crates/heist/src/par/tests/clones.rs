//! Functions that work with a clone as their scratch value.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{forced, pool, same, under_all};
use crate::par::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

same!(
    maps_with_a_clone,
    |xs, n| xs
        .map_with(String::from("-"), |text, x| {
            text.truncate(1);
            text.push_str(&x.to_string());
            text.len()
        })
        .collect::<Vec<_>>(),
    xs.map(|x| x.to_string().len() + 1).collect::<Vec<_>>()
);
same!(
    each_is_tried_with_a_clone,
    |xs, n| {
        // A `Cell` is not `Sync`.
        let count = Cell::new(0);
        xs.clone()
            .try_for_each_with(count, |count, x| {
                count.set(count.get() + 1);
                if *x == 11 { Err(*x) } else { Ok(()) }
            })
            .and(xs.try_for_each_init(Vec::new, |seen, x| {
                seen.push(*x);
                if seen.contains(&30) { Err(30) } else { Ok(()) }
            }))
    },
    {
        let found = |y: i64| xs.clone().any(|x| *x == y).then_some(y);
        found(11).or(found(30)).map_or(Ok(()), Err)
    }
);

/// A value that counts how often it has been cloned.
struct Seed<'c>(&'c AtomicUsize);

impl Clone for Seed<'_> {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Relaxed);
        Seed(self.0)
    }
}

#[test]
fn a_part_has_one() {
    pool(1).install(|| {
        let (cloned, called) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let count = |_: &mut Seed<'_>, _: u32| {
            called.fetch_add(1, Relaxed);
        };
        (0..100_000).par().for_each_with(Seed(&cloned), count);
        assert_eq!(
            (cloned.swap(0, Relaxed), called.swap(0, Relaxed)),
            (1, 100_000)
        );
        let numbers = (0..64).par().splitting(forced(1));
        numbers.for_each_with(Seed(&cloned), count);
        assert_eq!((cloned.swap(0, Relaxed), called.swap(0, Relaxed)), (64, 64));
        (0..0).par().for_each_with(Seed(&cloned), count);
        assert_eq!(cloned.into_inner(), 0);
    });
}

/// A value whose clones are counted and may panic.
struct Tool<'c> {
    census: &'c Census,
    item: super::drops::Counted<'c>,
    fails: bool,
}

impl Clone for Tool<'_> {
    fn clone(&self) -> Self {
        stop_at(usize::from(self.fails), 1);
        Tool {
            census: self.census,
            item: self.census.bear(self.item.value),
            fails: false,
        }
    }
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let tool = Tool {
            census,
            item: census.bear(7),
            // If `at` is not 0, no clone panics.
            fails: at == 0,
        };
        let mapped = all
            .into_par()
            .splitting(policy)
            .map_with(tool, |tool, item| {
                stop_at(at, item.value);
                tool.item.value += 1;
                tool.census.bear(item.value)
            });
        let mapped: Vec<_> = mapped.collect();
        assert!(mapped.iter().enumerate().all(|(i, item)| item.value == i));
    }));
}
