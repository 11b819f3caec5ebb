//! Calls each method of rayon's parallel iterators that `heist::rayon` has.

use super::rayon;
use rayon::iter::Either;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the numbers from 0 to 5.
fn xs() -> impl IndexedParallelIterator<Item = u32> {
    (0..6_u32).into_par_iter()
}

/// Returns the sum of the numbers that a loop passes to its function.
fn total(run: impl FnOnce(&(dyn Fn(u32) + Sync))) -> u32 {
    let sum = AtomicU32::new(0);
    run(&|x| {
        sum.fetch_add(x, Relaxed);
    });
    sum.into_inner()
}

fn collected<T: Send>(sequence: impl ParallelIterator<Item = T>) -> Vec<T> {
    sequence.collect()
}

#[test]
fn parallel_iterators() {
    calls! { ParallelIterator:
        for_each: total(|add| xs().for_each(add)) => 15;
        for_each_with: total(|add| xs().for_each_with(1, |one, x| add(*one * x))) => 15;
        for_each_init: total(|add| xs().for_each_init(|| 1, |one, x| add(*one * x))) => 15;
        try_for_each: xs().try_for_each(|x| if x < 4 { Ok(()) } else { Err(x) }) => Err(4);
        try_for_each_with: xs().try_for_each_with(4, |end, x| (x < *end).then_some(())) => None;
        try_for_each_init: xs().try_for_each_init(|| 9, |end, x| (x < *end).then_some(())) => Some(());
        count: xs().count() => 6;
        map: collected(xs().map(|x| 2 * x)) => [0, 2, 4, 6, 8, 10];
        map_with: collected(xs().map_with(2, |two, x| *two * x)) => [0, 2, 4, 6, 8, 10];
        map_init: collected(xs().map_init(|| 2, |two, x| *two * x)) => [0, 2, 4, 6, 8, 10];
        cloned: collected([1, 2].par_iter().cloned()) => [1, 2];
        copied: collected([1, 2].par_iter().copied()) => [1, 2];
        inspect: total(|add| xs().inspect(|x| add(*x)).for_each(drop)) => 15;
        update: collected(xs().update(|x| *x += 1)) => [1, 2, 3, 4, 5, 6];
        filter: collected(xs().filter(|x| x % 2 == 1)) => [1, 3, 5];
        filter_map: collected(xs().filter_map(|x| x.checked_sub(4))) => [0, 1];
        flat_map: collected(xs().flat_map(|x| 0..x / 3)) => [0, 0, 0];
        flat_map_iter: collected(xs().flat_map_iter(|x| 0..x / 3)) => [0, 0, 0];
        flatten: collected(vec![vec![1, 2], vec![3]].into_par_iter().flatten()) => [1, 2, 3];
        flatten_iter: collected(vec![Some(1), None].into_par_iter().flatten_iter()) => [1];
        reduce: xs().reduce(|| 0, |a, b| a + b) => 15;
        reduce_with: xs().reduce_with(|a, b| a + b) => Some(15);
        try_reduce: xs().map(Some).try_reduce(|| 0, |a, b| a.checked_add(b)) => Some(15);
        try_reduce_with: xs().map(Some).try_reduce_with(|a, b| a.checked_add(b)) => Some(Some(15));
        sum: xs().sum::<u32>() => 15;
        product: xs().product::<u32>() => 0;
        min: xs().min() => Some(0);
        min_by: xs().min_by(|a, b| b.cmp(a)) => Some(5);
        min_by_key: xs().min_by_key(|x| x.abs_diff(2)) => Some(2);
        max: xs().max() => Some(5);
        max_by: xs().max_by(|a, b| b.cmp(a)) => Some(0);
        max_by_key: xs().max_by_key(|x| x.abs_diff(2)) => Some(5);
        chain: collected(xs().take(1).chain(7..9)) => [0, 7, 8];
        find_any: xs().find_any(|x| *x == 3) => Some(3);
        find_first: xs().find_first(|x| *x > 3) => Some(4);
        find_last: xs().find_last(|x| *x < 3) => Some(2);
        find_map_any: xs().find_map_any(|x| (x == 3).then_some('x')) => Some('x');
        find_map_first: xs().find_map_first(|x| x.checked_sub(4)) => Some(0);
        find_map_last: xs().find_map_last(|x| x.checked_sub(4)) => Some(1);
        any: xs().any(|x| x == 5) => true;
        all: xs().all(|x| x == 5) => false;
        while_some: collected(xs().map(|x| (x < 3).then_some(x)).while_some()) => [0, 1, 2];
        collect: xs().collect::<HashSet<_>>() => (0..6).collect();
        unzip: xs().map(|x| (x, x % 2)).unzip::<_, _, Vec<_>, HashSet<_>>().1 => HashSet::from([0, 1]);
        partition: xs().partition(|x| *x < 2) => (vec![0, 1], vec![2, 3, 4, 5]);
        partition_map: xs().partition_map::<Vec<_>, Vec<_>, _, _, _>(|x| if x < 2 { Either::Left(x) } else { Either::Right(x) }).0 => [0, 1];
        intersperse: collected([1, 2].par_iter().copied().intersperse(0)) => [1, 0, 2];
    }
}

#[test]
fn indexed_parallel_iterators() {
    let mut target = Vec::new();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    calls! { IndexedParallelIterator:
        collect_into_vec: { xs().collect_into_vec(&mut target); target } => [0, 1, 2, 3, 4, 5];
        unzip_into_vecs: { xs().map(|x| (x, ())).unzip_into_vecs(&mut left, &mut right); left.len() } => 6;
        zip: collected(xs().zip(7..9)) => [(0, 7), (1, 8)];
        zip_eq: xs().zip_eq(xs()).all(|(a, b)| a == b) => true;
        interleave: collected((0..3).into_par_iter().interleave(7..8)) => [0, 7, 1, 2];
        interleave_shortest: collected((0..3).into_par_iter().interleave_shortest(7..8)) => [0, 7, 1];
        chunks: collected(xs().chunks(4)) => [vec![0, 1, 2, 3], vec![4, 5]];
        fold_chunks: collected(xs().fold_chunks(4, || 0, |sum, x| sum + x)) => [6, 9];
        fold_chunks_with: collected(xs().fold_chunks_with(4, 1, |sum, x| sum + x)) => [7, 10];
        cmp: xs().cmp(0..7) => Ordering::Less;
        partial_cmp: xs().partial_cmp(0..5) => Some(Ordering::Greater);
        eq: xs().eq(0..6) => true;
        ne: xs().ne(0..6) => false;
        lt: xs().lt(0..6) => false;
        le: xs().le(0..6) => true;
        gt: xs().gt(0..6) => false;
        ge: xs().ge(0..6) => true;
        enumerate: collected(['a', 'b'].par_iter().enumerate()) => [(0, &'a'), (1, &'b')];
        step_by: collected(xs().step_by(3)) => [0, 3];
        skip: collected(xs().skip(4)) => [4, 5];
        take: collected(xs().take(2)) => [0, 1];
        position_any: xs().position_any(|x| x == 3) => Some(3);
        position_first: xs().position_first(|x| x > 3) => Some(4);
        position_last: xs().position_last(|x| x < 3) => Some(2);
        positions: collected(xs().positions(|x| x % 3 == 0)) => [0, 3];
        rev: collected(xs().rev().take(2)) => [5, 4];
        with_min_len: xs().with_min_len(2).count() => 6;
        with_max_len: xs().with_max_len(2).count() => 6;
        len: xs().len() => 6;
    }
}

#[test]
fn conversions() {
    let mut words = vec!["a", "b", "c"];
    let mut set = HashSet::from([1]);
    let mut numbers = [1, 2];
    let mut all = vec![1];
    calls! { IntoParallelIterator: into_par_iter: vec![1, 2].into_par_iter().sum::<u32>() => 3; }
    calls! { IntoParallelRefIterator: par_iter: VecDeque::from([1, 2]).par_iter().sum::<u32>() => 3; }
    calls! { IntoParallelRefMutIterator:
        par_iter_mut: { numbers.par_iter_mut().for_each(|x| *x += 1); numbers } => [2, 3];
    }
    calls! { ParallelBridge: par_bridge: "a b".split(' ').par_bridge().count() => 2; }
    calls! { ParallelExtend: par_extend: { all.par_extend(2..4); all } => [1, 2, 3]; }
    calls! { ParallelDrainRange: par_drain: collected(words.par_drain(1..)) => ["b", "c"]; }
    calls! { ParallelDrainFull: par_drain: collected(set.par_drain()) => [1]; }
}
