//! Of several panics the leftmost wins, for every operation but those of folds' operators.

use super::ways::{WAYS, forced, under_every_schedule};
use super::{POOLS, pool};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Where somebody panics: with its place.
struct Mines(Vec<usize>);

impl Mines {
    /// Steps there.
    fn at(&self, place: usize) -> usize {
        if self.0.contains(&place) {
            resume_unwind(Box::new(place));
        }
        place
    }
}

/// Steps at each of so many places.
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
    map_and_fold: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).fold(|| 0, |a, b| a + b, |a, b| a + b);
    map_and_scan: |m, n, by| (0..n).par().splitting(by).map(|i| m.at(i)).scan(|a, b| a + b);
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
    // Loops in loops: two inner steps to one outer one.
    loops_in_loops: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .for_each(|i| (0..2).par().splitting(by).for_each(|j| _ = m.at(2 * i + j)));
    flat_map: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map(|i| (0..2).par().splitting(by).map(move |j| m.at(2 * i + j))).collect::<Vec<_>>();
    flat_map_and_reduce: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map(|i| (0..2).par().map(move |j| m.at(2 * i + j))).reduce(|| 0, |a, b| a + b);
    flat_map_iter: |m, n, by| (0..n.div_ceil(2)).par().splitting(by)
        .flat_map_iter(|i| (0..2).map(move |j| m.at(2 * i + j))).filter(|i| i % 3 == 0).collect::<Vec<_>>();
}

/// One whose clones step there.
struct Stepper<'m>(&'m Mines, usize);

impl Clone for Stepper<'_> {
    fn clone(&self) -> Self {
        Stepper(self.0, self.0.at(self.1))
    }
}

/// Walks over mines at two places, or from one place on.
fn check(name: &str, mines: Vec<usize>, n: usize, by: Forced<'_>, walk: Walk) {
    let first = mines[0];
    let mines = Mines(mines);
    let outcome = catch_unwind(AssertUnwindSafe(|| walk(&mines, n, by)));
    let panic = outcome.expect_err(name);
    assert_eq!(panic.downcast_ref(), Some(&first), "{name}: {:?}", mines.0);
}

#[test]
fn under_every_schedule_of_few() {
    let n = if cfg!(miri) { 3 } else { 4 };
    pool(1).install(|| {
        for (name, walk) in WALKS {
            for first in 0..n {
                for mines in (first + 1..n).map(|second| vec![first, second]) {
                    under_every_schedule(name, n, &mut |by| {
                        check(name, mines.clone(), n, by, *walk);
                    });
                }
            }
        }
    });
}

#[test]
fn on_several_workers() {
    let n = if cfg!(miri) { 8 } else { 60 };
    for threads in POOLS {
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
