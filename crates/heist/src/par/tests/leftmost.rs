//! Checks that the leftmost panic wins if several functions panic. The rule holds for all functions that operations call, except
//! the operators of folds.

use super::ways::{WAYS, forced, under_every_schedule};
use super::{POOLS, pool};
use crate::par::prelude::*;
use crate::par::split;
use crate::par::splitting::forced::Forced;
use either::Either::Left;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The places at which a call panics.
struct Mines(Vec<usize>);

impl Mines {
    /// Visits a place, and panics if this place is one of the mines.
    fn at(&self, place: usize) -> usize {
        if self.0.contains(&place) {
            resume_unwind(Box::new(place));
        }
        place
    }
}

/// An operation that visits each of `n` places once.
type Walk = fn(&Mines, usize, Forced<'_>);

macro_rules! walks {
    ($($name:ident: |$mines:ident, $n:ident, $by:ident| $walk:expr;)*) => {
        const WALKS: &[(&str, Walk)] = &[$(
            (stringify!($name), |$mines: &Mines, $n: usize, $by: Forced<'_>| _ = $walk),
        )*];
    };
}

walks! {
    for_each: |m, n, by| (0..n).par().splitting(by).for_each(|i| _ = m.at(i));
    for_each_init: |m, n, by| (0..n).par().splitting(by).for_each_init(|| (), |(), i| _ = m.at(i));
    map_and_collect: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).collect::<Vec<_>>();
    map_and_collect_strings: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i).to_string()).collect::<VecDeque<_>>();
    inspect: |m, n, by| (0..n).par().splitting(by).inspect(|i| _ = m.at(*i)).count();
    filter_and_collect: |m, n, by| (0..n).par().splitting(by).filter(|i| m.at(*i) % 2 == 0).collect::<Vec<_>>();
    filter_and_map: |m, n, by| (0..n).par().splitting(by).filter(|i| i % 2 == 1 || m.at(*i) < n).map(|i| if i % 2 == 1 { m.at(i) } else { i })
        .collect::<HashSet<_>>();
    filter_map: |m, n, by| (0..n).par().splitting(by).filter_map(|i| (m.at(i) % 2 == 0).then_some(i)).collect_rope(2);
    map_and_sum: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).sum::<usize>();
    map_and_product: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i) as f64).product::<f64>();
    map_and_reduce: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).reduce(|| 0, |a, b| a + b);
    map_and_reduce_strings: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i).to_string()).reduce(String::new, |a, b| a + &b);
    map_and_fold: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).fold_reduce(|| 0, |a, b| a + b, |a, b| a + b);
    map_and_scan: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).inclusive_scan(|a, b| a + b);
    accumulate: |m, n, by| (0..n).par().splitting(by).accumulate(|| 0, |all, i| *all += m.at(i), |all, more| *all += more);
    min: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).min();
    max_by_key: |m, n, by| (0..n).par().splitting(by).max_by_key(|i| m.at(*i));
    all: |m, n, by| (0..n).par().splitting(by).all(|i| m.at(i) < n);
    find_first: |m, n, by| (0..n).par().splitting(by).find_first(|i| m.at(*i) == n);
    find_any: |m, n, by| (0..n).par().splitting(by).find_any(|i| m.at(*i) == n);
    find_map_first: |m, n, by| (0..n).par().splitting(by).find_map_first(|i| (m.at(i) == n).then_some(i));
    position_first: |m, n, by| (0..n).par().splitting(by).position_first(|i| m.at(i) == n);
    eq: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).eq(0..n);
    cmp: |m, n, by| (0..n).par().splitting(by).cmp((0..n).par().map(|i| m.at(i)));
    try_for_each: |m, n, by| (0..n).par().splitting(by).try_for_each(|i| (m.at(i) < n).then_some(()));
    collect_result: |m, n, by| (0..n).par().splitting(by).map(|i| if m.at(i) < n { Ok(i) } else { Err(i) }).collect::<Result<Vec<_>, _>>();
    map_and_try_reduce: |m, n, by| (0..n).par().splitting(by).map(|i| Some(m.at(i))).try_reduce(|| 0, |a, b| Some(a + b));
    partition: |m, n, by| (0..n).par().splitting(by).partition::<Vec<_>, _>(|i| m.at(*i) % 2 == 0);
    unzip: |m, n, by| (0..n).par().splitting(by).map(|i| (m.at(i), i)).unzip::<_, _, Vec<_>, Vec<_>>();
    group_by: |m, n, by| (0..n).par().splitting(by).group_by(|i| m.at(*i) % 3);
    histogram: |m, n, by| (0..n).par().splitting(by).histogram(3, |i| m.at(i) % 3);
    write_to: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).write_to(&mut vec![0; n]);
    of_a_vector: |m, n, by| (0..n).collect::<Vec<_>>().into_par().splitting(by).map(|i| m.at(i)).collect::<Vec<_>>();
    of_places: |m, n, by| vec![0; n].par_mut().splitting(by).enumerate().for_each(|(i, place)| *place = m.at(i));
    of_chunks: |m, n, by| vec![0; n].par_chunks(1).splitting(by).enumerate().for_each(|(i, _)| _ = m.at(i));
    of_a_rope: |m, n, by| (0..n).par().collect_rope(2).par().splitting(by).map(|i| m.at(*i)).collect_rope(3);
    enumerate: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).enumerate().collect::<Vec<_>>();
    zip: |m, n, by| (0..n).par().splitting(by).map(|i| if i % 2 == 0 { m.at(i) } else { i })
        .zip((0..n).par().map(|i| if i % 2 == 1 { m.at(i) } else { i })).collect::<Vec<_>>();
    chain: |m, n, by| (0..n / 2).par().splitting(by).chain(n / 2..n).map(|i| m.at(i)).collect::<Vec<_>>();
    rev: |m, n, by| (0..n).par().splitting(by).rev().map(|i| m.at(n - 1 - i)).collect::<Vec<_>>();
    step_by: |m, n, by| (0..2 * n).par().splitting(by).step_by(2).map(|i| m.at(i / 2)).collect::<Vec<_>>();
    skip_and_take: |m, n, by| (0..n + 3).par().splitting(by).skip(2).take(n).map(|i| m.at(i - 2)).collect::<Vec<_>>();
    cloned: |m, n, by| (0..n).map(|i| Stepper(m, i)).collect::<Vec<_>>().par().splitting(by).cloned().map(drop).count();
    // Nested loops visit two places for each outer item.
    loops_in_loops: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .for_each(|i| (0..2).par().splitting(by).for_each(|j| _ = m.at(2 * i + j)));
    flat_map: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map(|i| (0..2).par().splitting(by).map(move |j| m.at(2 * i + j))).collect::<Vec<_>>();
    flat_map_and_reduce: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map(|i| (0..2).par().map(move |j| m.at(2 * i + j))).reduce(|| 0, |a, b| a + b);
    flat_map_iter: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map_iter(|i| (0..2).map(move |j| m.at(2 * i + j))).filter(|i| i % 3 == 0).collect::<Vec<_>>();
    // Adapters that change or combine sequences.
    update: |m, n, by| (0..n).par().splitting(by).update(|i| _ = m.at(*i)).collect::<Vec<_>>();
    flatten: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .map(|i| (0..2).par().splitting(by).map(move |j| m.at(2 * i + j))).flatten().collect::<Vec<_>>();
    flatten_iter: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .map(|i| (0..2).map(move |j| m.at(2 * i + j))).flatten_iter().collect_rope(2);
    while_some: |m, n, by| (0..n).par().splitting(by).map(|i| Some(m.at(i))).while_some().collect::<Vec<_>>();
    map_init: |m, n, by| (0..n).par().splitting(by).map_init(|| 0, |all, i| { *all += m.at(i); *all }).collect::<Vec<_>>();
    map_with: |m, n, by| (0..n).par().splitting(by).map_with(0, |all, i| { *all += m.at(i); *all }).count();
    try_for_each_init: |m, n, by| (0..n).par().splitting(by).try_for_each_init(|| (), |(), i| (m.at(i) < n).then_some(()));
    positions: |m, n, by| (0..n).par().splitting(by).positions(|i| m.at(i) < n).collect::<Vec<_>>();
    interleave: |m, n, by| (0..n.div_ceil(2)).par().splitting(by).map(|i| m.at(2 * i))
        .interleave((0..n / 2).par().map(|i| m.at(2 * i + 1))).collect::<Vec<_>>();
    interleave_shortest: |m, n, by| (0..n.div_ceil(2)).par().splitting(by).map(|i| m.at(2 * i))
        .interleave_shortest((0..n).par().map(|i| m.at(2 * i + 1))).collect::<Vec<_>>();
    intersperse: |m, n, by| (0..n.div_ceil(2)).par().splitting(by).map(|i| (0..2).map(|j| m.at(2 * i + j)).sum())
        .intersperse(n).collect::<Vec<usize>>();
    chunks: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).chunks(2).collect::<Vec<_>>();
    chunks_from_behind: |m, n, by| (0..n).par().splitting(by).rev().map(|i| m.at(n - 1 - i)).chunks(2).count();
    fold_chunks: |m, n, by| (0..n).par().splitting(by).fold_chunks(2, || 0, |a, i| a + m.at(i)).collect::<Vec<_>>();
    fold_chunks_with: |m, n, by| (0..n).par().splitting(by).fold_chunks_with(3, 0, |a, i| a + m.at(i)).collect::<Vec<_>>();

    // Sources of sequences.
    function_of_a_split: |m, n, by| split(0..n, |all| divide(m, all)).splitting(by).count();
    pieces_of_a_split: |m, n, by| split(0..n, |all| divide(&Mines(vec![]), all)).splitting(by).for_each(|all| _ = m.at(all.start));
    par_bridge: |m, n, by| (0..n).par_bridge().splitting(by).for_each(|i| _ = m.at(i));
    par_bridge_of_a_mapped_iterator: |m, n, by| (0..n).map(|i| m.at(i)).par_bridge().splitting(by).collect::<Vec<_>>();
    par_drain: |m, n, by| (0..n).collect::<Vec<_>>().par_drain(..).splitting(by).map(|i| m.at(i)).collect::<Vec<_>>();
    of_a_shared_rope: |m, n, by| { let all = (0..n).map(|i| Stepper(m, i)).collect::<Vec<_>>().into_par().collect_rope(2);
        let other = all.clone(); all.into_par().splitting(by).map(drop).count(); other };
    of_chunks_from_behind: |m, n, by| vec![0; n].par_rchunks(1).splitting(by).enumerate().for_each(|(i, _)| _ = m.at(i));
    of_pieces: |m, n, by| (0..n).collect::<Vec<_>>().par_split_inclusive(|_| true).splitting(by).for_each(|piece| _ = m.at(piece[0]));
    of_runs: |m, n, by| (0..n).collect::<Vec<_>>().par_chunk_by(|_, _| false).splitting(by).for_each(|run| _ = m.at(run[0]));
    of_pieces_to_be_changed: |m, n, by| (0..n).collect::<Vec<_>>().par_split_inclusive_mut(|_| true).splitting(by)
        .for_each(|piece| piece[0] = m.at(piece[0]));
    separators_of_pieces_to_be_changed: |m, n, by| (0..n).collect::<Vec<_>>().par_split_mut(|i| m.at(*i) == n).splitting(by).count();
    of_characters: |m, n, by| "a".repeat(n).par_char_indices().splitting(by).for_each(|(i, _)| _ = m.at(i));
    of_pieces_of_strings: |m, n, by| (0..n).map(|i| (b'0' + i as u8) as char).collect::<String>().par_split_inclusive(|_| true).splitting(by)
        .for_each(|piece| _ = m.at(usize::from(piece.as_bytes()[0] - b'0')));

    // Operations that end a chain.
    collect_into_vec: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).collect_into_vec(&mut vec![7]);
    unzip_into_vecs: |m, n, by| (0..n).par().splitting(by).map(|i| (m.at(i), i)).unzip_into_vecs(&mut vec![7], &mut Vec::new());
    partition_map: |m, n, by| (0..n).par().splitting(by).partition_map::<Vec<_>, Vec<_>, _, usize, u8>(|i| Left(m.at(i)));
    extend_a_rope: |m, n, by| [7].into_par().collect_rope(2).par_extend((0..n).par().splitting(by).map(|i| m.at(i)));
    map_and_scan_to_a_rope: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).inclusive_scan_rope(2, |a, b| a + b);
    map_and_scan_before: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).exclusive_scan(0, |a, b| a + b);
    map_and_try_fold: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).try_fold_reduce(|| 0, |a, b| Some(a + b), |a, b| Some(a + b));
    map_and_try_reduce_with: |m, n, by| (0..n).par().splitting(by).map(|i| Some(m.at(i))).try_reduce_with(|a, b| Some(a + b));
    find_last: |m, n, by| (0..n).par().splitting(by).find_last(|i| m.at(*i) == n);
    find_map_last: |m, n, by| (0..n).par().splitting(by).find_map_last(|i| (m.at(i) == n).then_some(i));
    position_last: |m, n, by| (0..n).par().splitting(by).position_last(|i| m.at(n - 1 - i) == n);
    lt: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).lt(0..n);
}

/// Divides a range down to single numbers, and visits the place of each number.
fn divide(mines: &Mines, all: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    if all.len() == 1 {
        mines.at(all.start);
        return (all, None);
    }
    let middle = all.start.midpoint(all.end);
    (all.start..middle, Some(middle..all.end))
}

/// A value whose clone visits a place.
struct Stepper<'m>(&'m Mines, usize);

impl Clone for Stepper<'_> {
    fn clone(&self) -> Self {
        Stepper(self.0, self.0.at(self.1))
    }
}

/// Runs an operation in which the calls at the given places panic, and checks that the leftmost panic wins.
fn check(name: &str, mines: Vec<usize>, n: usize, by: Forced<'_>, walk: Walk) {
    let first = mines[0];
    let mines = Mines(mines);
    let outcome = catch_unwind(AssertUnwindSafe(|| walk(&mines, n, by)));
    let panic = outcome.expect_err(name);
    assert_eq!(panic.downcast_ref(), Some(&first), "{name}: {:?}", mines.0);
}

#[test]
fn under_every_schedule_of_few() {
    let three = [[0, 1], [0, 2], [1, 2]].as_slice();
    let four = [[1, 2], [2, 3], [0, 3]].as_slice();
    pool(1).install(|| {
        let four = if cfg!(miri) {
            &[]
        } else if cfg!(debug_assertions) {
            &four[..1]
        } else {
            four
        };
        for (n, pairs) in [(3, three), (4, four)] {
            for (name, walk) in WALKS {
                for mines in pairs {
                    under_every_schedule(name, n, &mut |by| {
                        check(name, mines.to_vec(), n, by, *walk);
                    });
                }
            }
        }
    });
}

#[test]
fn on_several_workers() {
    let n = if cfg!(miri) { 8 } else { 60 };
    // The tests of every schedule use a single worker, so the pools of one worker are left out.
    for threads in &POOLS[POOLS.len() / 3..] {
        pool(*threads).install(|| {
            for (name, walk) in WALKS {
                for first in [0, 1, n / 3, n / 2 + 1, n - 2] {
                    for way in 0..WAYS {
                        check(name, (first..n).collect(), n, forced(way), *walk);
                        check(name, vec![first, n - 1], n, forced(way), *walk);
                    }
                }
            }
        });
    }
}
