//! Operations on pieces of slices and strings, and on items that are taken out of collections.

use super::super::ways;
use super::{Operation, owned};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::ops::Range;

/// Returns true if an item ends a piece.
fn is_separator(x: &i64) -> bool {
    x % 3 == 0
}

/// Copies a slice, calls `change` with the copy, and returns the changed copy.
fn changed(xs: &[i64], change: impl FnOnce(&mut [i64])) -> Vec<i64> {
    let mut all = xs.to_vec();
    change(&mut all);
    all
}

/// Changes a piece so that its beginning and its end show in the result.
fn mark(piece: &mut [i64]) {
    piece.reverse();
    let len = piece.len() as i64;
    if let Some(first) = piece.first_mut() {
        *first += 100 * len;
    }
}

/// Marks a piece like [`mark`], and also adds the index of the piece.
fn mark_with((at, piece): (usize, &mut [i64])) {
    mark(piece);
    piece[0] += 10_000 * at as i64;
}

/// Returns a text that has about as many bytes as there are items. Some characters of the text have several bytes.
fn prose(xs: &[i64]) -> String {
    let mut text = String::new();
    for x in xs {
        let next = ["𝄞", " ", "\n", ",", "b", "\r\n", "\u{3000}", "é"][x.rem_euclid(8) as usize];
        if text.len() + next.len() <= xs.len() {
            text.push_str(next);
        }
    }
    text
}

/// Returns the text of [`prose`] in lines.
fn verse(xs: &[i64]) -> String {
    prose(xs).replace(',', "\n")
}

/// Returns the range that the operations take out of a collection of `len` items.
fn middle(len: usize) -> Range<usize> {
    len / 4..len - len / 5
}

operations! {
    // Pieces of slices.
    par_chunks_exact: |xs, by| xs.par_chunks_exact(2).splitting(by).collect::<Vec<_>>() => xs.chunks_exact(2).collect::<Vec<_>>();
    par_rchunks: |xs, by| xs.par_rchunks(2).splitting(by).collect::<Vec<_>>() => xs.rchunks(2).collect::<Vec<_>>();
    par_rchunks_exact: |xs, by| xs.par_rchunks_exact(2).splitting(by).collect::<Vec<_>>() => xs.rchunks_exact(2).collect::<Vec<_>>();
    par_chunks_from_behind: |xs, by| xs.par_chunks(3).splitting(by).rev().collect::<Vec<_>>() => xs.chunks(3).rev().collect::<Vec<_>>();
    par_rchunks_from_behind: |xs, by| xs.par_rchunks(3).splitting(by).rev().collect::<Vec<_>>() => xs.rchunks(3).rev().collect::<Vec<_>>();
    par_windows_from_behind: |xs, by| xs.par_windows(3).splitting(by).rev().collect::<Vec<_>>() => xs.windows(3).rev().collect::<Vec<_>>();
    par_split: |xs, by| xs.par_split(is_separator).splitting(by).collect::<Vec<_>>() => xs.split(is_separator).collect::<Vec<_>>();
    par_split_inclusive: |xs, by| xs.par_split_inclusive(is_separator).splitting(by).collect::<Vec<_>>()
        => xs.split_inclusive(is_separator).collect::<Vec<_>>();
    par_chunk_by: |xs, by| xs.par_chunk_by(|a, b| a > b).splitting(by).collect::<Vec<_>>() => xs.chunk_by(|a, b| a > b).collect::<Vec<_>>();
    par_chunks_exact_mut: |xs, by| changed(xs, |all| all.par_chunks_exact_mut(2).splitting(by).enumerate().for_each(mark_with))
        => changed(xs, |all| all.chunks_exact_mut(2).enumerate().for_each(mark_with));
    par_rchunks_mut: |xs, by| changed(xs, |all| all.par_rchunks_mut(2).splitting(by).enumerate().for_each(mark_with))
        => changed(xs, |all| all.rchunks_mut(2).enumerate().for_each(mark_with));
    par_rchunks_exact_mut: |xs, by| changed(xs, |all| all.par_rchunks_exact_mut(2).splitting(by).enumerate().for_each(mark_with))
        => changed(xs, |all| all.rchunks_exact_mut(2).enumerate().for_each(mark_with));
    par_chunks_mut_from_behind: |xs, by| changed(xs, |all| all.par_chunks_mut(3).splitting(by).rev().enumerate().for_each(mark_with))
        => changed(xs, |all| all.chunks_mut(3).rev().enumerate().for_each(mark_with));
    par_rchunks_mut_from_behind: |xs, by| changed(xs, |all| all.par_rchunks_mut(3).splitting(by).rev().enumerate().for_each(mark_with))
        => changed(xs, |all| all.rchunks_mut(3).rev().enumerate().for_each(mark_with));
    par_split_mut: |xs, by| changed(xs, |all| all.par_split_mut(is_separator).splitting(by).for_each(mark))
        => changed(xs, |all| all.split_mut(is_separator).for_each(mark));
    par_split_inclusive_mut: |xs, by| changed(xs, |all| all.par_split_inclusive_mut(is_separator).splitting(by).for_each(mark))
        => changed(xs, |all| all.split_inclusive_mut(is_separator).for_each(mark));
    par_chunk_by_mut: |xs, by| changed(xs, |all| all.par_chunk_by_mut(|a, b| a > b).splitting(by).for_each(mark))
        => changed(xs, |all| all.chunk_by_mut(|a, b| a > b).for_each(mark));

    // Pieces of strings.
    par_chars: |xs, by| prose(xs).par_chars().splitting(by).collect::<Vec<_>>() => prose(xs).chars().collect::<Vec<_>>();
    par_char_indices: |xs, by| prose(xs).par_char_indices().splitting(by).collect::<Vec<_>>() => prose(xs).char_indices().collect::<Vec<_>>();
    par_bytes: |xs, by| prose(xs).par_bytes().splitting(by).collect::<Vec<_>>() => prose(xs).into_bytes();
    par_encode_utf16: |xs, by| prose(xs).par_encode_utf16().splitting(by).collect::<Vec<_>>() => prose(xs).encode_utf16().collect::<Vec<_>>();
    par_lines: |xs, by| verse(xs).par_lines().splitting(by).collect::<Vec<_>>() => verse(xs).lines().collect::<Vec<_>>();
    par_split_whitespace: |xs, by| prose(xs).par_split_whitespace().splitting(by).collect::<Vec<_>>()
        => prose(xs).split_whitespace().collect::<Vec<_>>();
    par_split_ascii_whitespace: |xs, by| prose(xs).par_split_ascii_whitespace().splitting(by).collect::<Vec<_>>()
        => prose(xs).split_ascii_whitespace().collect::<Vec<_>>();
    par_split_of_a_string: |xs, by| prose(xs).par_split(',').splitting(by).collect::<Vec<_>>() => prose(xs).split(',').collect::<Vec<_>>();
    par_split_terminator: |xs, by| prose(xs).par_split_terminator([',', 'é']).splitting(by).collect::<Vec<_>>()
        => prose(xs).split_terminator([',', 'é']).collect::<Vec<_>>();
    par_split_inclusive_of_a_string: |xs, by| prose(xs).par_split_inclusive(char::is_whitespace).splitting(by).collect::<Vec<_>>()
        => prose(xs).split_inclusive(char::is_whitespace).collect::<Vec<_>>();
    par_matches: |xs, by| prose(xs).par_matches([',', 'é']).splitting(by).collect::<Vec<_>>()
        => prose(xs).matches([',', 'é']).collect::<Vec<_>>();
    par_match_indices: |xs, by| prose(xs).par_match_indices(char::is_whitespace).splitting(by).collect::<Vec<_>>()
        => prose(xs).match_indices(char::is_whitespace).collect::<Vec<_>>();

    // Items that are taken out of collections.
    par_drain: |xs, by| { let mut all = owned(xs);
        let taken = all.par_drain(middle(xs.len())).splitting(by).collect::<Vec<_>>(); (taken, all) }
        => { let mut all = owned(xs); let taken = all.drain(middle(xs.len())).collect::<Vec<_>>(); (taken, all) };
    par_drain_of_less_than_is_taken: |xs, by| { let mut all = owned(xs);
        let taken = all.par_drain(..).splitting(by).skip(1).step_by(2).rev().collect::<Vec<_>>(); (taken, all) }
        => { let mut taken = owned(xs).into_iter().skip(1).step_by(2).collect::<Vec<_>>(); taken.reverse(); (taken, Vec::new()) };
    par_drain_up_to_a_match: |xs, by| { let mut all = owned(xs);
        let found = all.par_drain(1.min(xs.len())..).splitting(by).find_first(|s| s.len() > 1); (found, all) }
        => { let mut all = owned(xs); let found = all.drain(1.min(xs.len())..).find(|s| s.len() > 1); (found, all) };
    par_drain_of_a_deque: |xs, by| { let mut all = VecDeque::from(owned(xs)); all.rotate_left(xs.len() / 2);
        let taken = all.par_drain(middle(xs.len())).splitting(by).collect::<Vec<_>>(); (taken, all) }
        => { let mut all = VecDeque::from(owned(xs)); all.rotate_left(xs.len() / 2);
        let taken = all.drain(middle(xs.len())).collect::<Vec<_>>(); (taken, all) };
    par_drain_of_a_string: |xs, by| { let mut all = owned(xs).concat();
        let taken = all.par_drain(middle(xs.len())).splitting(by).collect::<Vec<_>>(); (taken, all) }
        => { let mut all = owned(xs).concat(); let taken = all.drain(middle(xs.len())).collect::<Vec<_>>(); (taken, all) };
    par_drain_of_a_set: |xs, by| { let mut all: HashSet<_> = xs.iter().copied().collect();
        let taken = all.par_drain().splitting(by).collect::<BTreeSet<_>>(); (taken, all.len()) }
        => (xs.iter().copied().collect::<BTreeSet<_>>(), 0);
    par_drain_of_a_map: |xs, by| { let mut all: HashMap<_, _> = xs.iter().map(|x| (*x, -x)).collect();
        let taken = all.par_drain().splitting(by).collect::<BTreeMap<_, _>>(); (taken, all.len()) }
        => (xs.iter().map(|x| (*x, -x)).collect::<BTreeMap<_, _>>(), 0);
    par_drain_of_a_heap: |xs, by| { let mut all: BinaryHeap<_> = xs.iter().copied().collect();
        let mut taken = all.par_drain().splitting(by).collect::<Vec<_>>(); taken.sort_unstable(); (taken, all.len()) }
        => { let mut taken = xs.to_vec(); taken.sort_unstable(); (taken, 0) };
}
