//! Checks pieces of slices: pieces of equal length, and pieces whose ends a function determines.

use super::{LENGTHS, items, pool, under_all};
use crate::par::prelude::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Compares the pieces that the methods `$ours` and `$theirs` return. Also compares the remainders, if there are any.
macro_rules! same_pieces {
    ($all:expr, $policy:expr, $ours:ident, $theirs:ident, $($argument:expr)?) => {
        let ours: Vec<_> = $all.$ours($($argument)?).splitting($policy).collect();
        assert_eq!(ours, $all.$theirs($($argument)?).collect::<Vec<_>>());
    };
}

/// Divides a copy of the slice into pieces by `$ours`, and a second copy by `$theirs`. To all elements of a piece, adds a number that
/// depends on the piece's length and index. Then compares the two copies.
macro_rules! same_changes {
    ($all:expr, $policy:expr, $ours:ident, $theirs:ident, $argument:expr) => {
        let (mut ours, mut theirs) = ($all.to_vec(), $all.to_vec());
        let pieces: Vec<_> = ours.$ours($argument).splitting($policy).collect();
        let change = |(at, piece): (usize, &mut [i64])| {
            let with = (at * 1000 + piece.len()) as i64;
            piece.iter_mut().for_each(|x| *x += with);
        };
        pieces.into_iter().enumerate().for_each(change);
        theirs.$theirs($argument).enumerate().for_each(change);
        assert_eq!(ours, theirs);
        // The change happens within the loop, so it must not affect where later pieces end.
        let (mut ours, mut theirs) = ($all.to_vec(), $all.to_vec());
        let fill = |piece: &mut [i64]| piece.fill(0);
        ours.$ours($argument).splitting($policy).for_each(fill);
        theirs.$theirs($argument).for_each(fill);
        assert_eq!(ours, theirs);
    };
}

#[test]
fn of_one_size() {
    for &n in LENGTHS {
        let all = items(n);
        for size in [1, 3, 64, usize::MAX] {
            under_all!(|policy| {
                same_pieces!(all, policy, par_rchunks, rchunks, size);
                same_pieces!(all, policy, par_chunks_exact, chunks_exact, size);
                same_pieces!(all, policy, par_rchunks_exact, rchunks_exact, size);
                same_changes!(all, policy, par_rchunks_mut, rchunks_mut, size);
                same_changes!(all, policy, par_chunks_exact_mut, chunks_exact_mut, size);
                same_changes!(all, policy, par_rchunks_exact_mut, rchunks_exact_mut, size);
                let ours = all.par_rchunks(size).splitting(policy).enumerate().rev();
                let mut theirs: Vec<_> = all.rchunks(size).enumerate().collect();
                theirs.reverse();
                assert_eq!(ours.collect::<Vec<_>>(), theirs);
            });
        }
    }
}

#[test]
fn remainders_of_pieces_of_one_size() {
    for &n in LENGTHS {
        let all = items(n);
        for size in [1, 3, 64, usize::MAX] {
            let (front, back) = (all.chunks_exact(size), all.rchunks_exact(size));
            assert_eq!(all.par_chunks_exact(size).remainder(), front.remainder());
            assert_eq!(
                all.par_rchunks_exact(size).clone().remainder(),
                back.remainder()
            );
            let mut changed = all.clone();
            let mut pieces = changed.par_chunks_exact_mut(size);
            assert_eq!(pieces.remainder(), front.remainder());
            assert_eq!(pieces.take_remainder(), front.remainder());
            assert_eq!(pieces.into_remainder(), [0; 0]);
            let pieces = changed.par_rchunks_exact_mut(size);
            assert_eq!(pieces.into_remainder(), back.remainder());
        }
    }
}

/// Returns slices with separators, which are multiples of 5. There are slices without separators, of only separators, and with separators
/// at the ends, next to each other, or far from one another.
fn separated() -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = LENGTHS.iter().map(|n| items(*n)).collect();
    all.push(vec![0; 40]);
    all.push(vec![7; 40]);
    all.push([0, 0, 7, 7, 7, 0, 0, 0, 7, 0].to_vec());
    let far = (0..LENGTHS[LENGTHS.len() - 1] as i64).map(|i| i64::from(i % 300 > 0));
    all.push(far.collect());
    all
}

#[test]
fn that_end_at_separators() {
    let is = |x: &i64| x % 5 == 0;
    for all in separated() {
        under_all!(|policy| {
            same_pieces!(all, policy, par_split, split, is);
            same_pieces!(all, policy, par_split_inclusive, split_inclusive, is);
            same_changes!(all, policy, par_split_mut, split_mut, is);
            same_changes!(
                all,
                policy,
                par_split_inclusive_mut,
                split_inclusive_mut,
                is
            );
        });
    }
}

#[test]
fn of_neighbours_that_go_together() {
    let same = |a: &i64, b: &i64| a / 8 == b / 8;
    for all in separated() {
        under_all!(|policy| {
            same_pieces!(all, policy, par_chunk_by, chunk_by, same);
            same_changes!(all, policy, par_chunk_by_mut, chunk_by_mut, same);
        });
    }
}

/// Checks pieces in a chained sequence, where each position is a chunk, and pieces in operations that end early.
#[test]
fn in_chains() {
    let many = separated();
    let is = |x: &i64| x % 5 == 0;
    let lengths = |piece: &[i64]| (0..piece.len()).collect::<Vec<_>>();
    for all in &many {
        let must: Vec<_> = all.split(is).flat_map(lengths).collect();
        let long = all.split(is).find(|piece| piece.len() > 3);
        under_all!(|policy| {
            let pieces = || all.par_split(is).splitting(policy);
            assert_eq!(pieces().flat_map(lengths).collect::<Vec<_>>(), must);
            assert_eq!(pieces().find_first(|piece| piece.len() > 3), long);
            assert_eq!(pieces().count(), all.split(is).count());
        });
    }
    let must: Vec<_> = many.iter().flat_map(|all| all.split(is)).collect();
    under_all!(|policy| {
        let all = many.par().splitting(policy);
        assert_eq!(
            all.flat_map(|all| all.par_split(is)).collect::<Vec<_>>(),
            must
        );
        let mut changed = many.clone();
        let all = changed.par_mut().splitting(policy);
        let pieces = all.flat_map(|all| all.par_split_inclusive_mut(is));
        assert_eq!(
            pieces.map(|piece| piece.len()).sum::<usize>(),
            many.iter().map(Vec::len).sum()
        );
    });
}

/// No matter where a policy cuts the slice, `par_split` calls its function at most three times for an element, and `par_split_mut` calls
/// its function once for each element.
#[test]
fn one_long_piece_is_not_searched_again_and_again() {
    let all = items(if cfg!(miri) { 20 } else { 200 });
    for separator in [None, Some(0), Some(all.len() / 2), Some(all.len() - 1)] {
        let asked: Vec<_> = all.iter().map(|_| AtomicUsize::new(0)).collect();
        let indices: Vec<usize> = (0..all.len()).collect();
        let is = |at: &usize| {
            asked[*at].fetch_add(1, Relaxed);
            Some(*at) == separator
        };
        let pieces = 1 + usize::from(separator.is_some());
        let most = || asked.iter().map(|asked| asked.swap(0, Relaxed)).max();
        under_all!(|policy| {
            assert_eq!(indices.par_split(is).splitting(policy).count(), pieces);
            assert!(most() <= Some(3));
            let mut indices = indices.clone();
            let ours = indices.par_split_mut(is).splitting(policy);
            assert_eq!(ours.count(), pieces);
            assert_eq!(most(), Some(1));
        });
    }
}

/// The pieces are still parts of the slice if a function's answers are inconsistent.
#[test]
fn functions_need_not_be_constant() {
    let all = items(100);
    under_all!(|policy| {
        let calls = AtomicUsize::new(0);
        let is = |_: &i64| calls.fetch_add(1, Relaxed) % 7 == 0;
        let same = |_: &i64, _: &i64| calls.fetch_add(1, Relaxed) % 7 != 0;
        all.par_split(is).splitting(policy).for_each(drop);
        all.par_split_inclusive(is).splitting(policy).for_each(drop);
        all.par_chunk_by(same).splitting(policy).for_each(drop);
        let mut changed = all.clone();
        let pieces = changed.par_split_inclusive_mut(is).splitting(policy);
        pieces.for_each(|piece| piece.iter_mut().for_each(|x| *x += 1));
        let pieces = changed.par_chunk_by_mut(same).splitting(policy);
        pieces.for_each(|piece| piece.iter_mut().for_each(|x| *x += 1));
        assert!(changed.iter().zip(&all).all(|(new, old)| *new == old + 2));
    });
}

#[test]
fn functions_may_panic() {
    let _quiet = super::panics::Quiet::new();
    let all: Vec<i64> = (0..100).collect();
    under_all!(|policy| {
        for bad in [0, 50, 99] {
            let is = |x: &i64| {
                assert!(*x != bad, "planted");
                x % 5 == 0
            };
            let same = |a: &i64, b: &i64| {
                assert!(*a != bad.min(98), "planted");
                a / 5 == b / 5
            };
            let mut changed = all.clone();
            let panics = |run: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(run)).is_err();
            assert!(panics(&mut || {
                all.par_split(is).splitting(policy).count();
            }));
            assert!(panics(&mut || {
                all.par_chunk_by(same).splitting(policy).count();
            }));
            assert!(panics(&mut || {
                changed.par_split_mut(is).splitting(policy).count();
            }));
            assert!(panics(&mut || {
                changed.par_chunk_by_mut(same).splitting(policy).count();
            }));
        }
    });
}

/// Checks pieces of elements that can neither be copied nor shared between threads, and pieces of elements of zero size.
#[test]
fn of_any_elements() {
    for threads in [1, 3] {
        pool(threads).install(|| {
            let mut cells: Vec<Cell<u32>> = (0..500).map(Cell::new).collect();
            let pieces = cells.par_split_mut(|x| x.get() % 10 == 0);
            pieces.for_each(|piece| piece.iter().for_each(|x| x.set(0)));
            assert!(
                (0..)
                    .zip(&cells)
                    .all(|(i, x)| x.get() == if i % 10 == 0 { i } else { 0 })
            );
            let mut units = [(); 300];
            assert_eq!(units.par_split(|()| true).count(), 301);
            assert_eq!(units.par_split(|()| false).count(), 1);
            assert_eq!(units.par_split_mut(|()| true).count(), 301);
            assert_eq!(units.par_chunk_by_mut(|(), ()| true).count(), 1);
            assert_eq!(units.par_rchunks(7).count(), 43);
            assert_eq!(units.par_chunks_exact(7).count(), 42);
        });
    }
}
