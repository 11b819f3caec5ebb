//! Calls each method of rayon's slices and strings that `heist::rayon` has.

use super::rayon;
use rayon::prelude::*;

const XS: [i32; 5] = [3, 1, 2, 5, 4];

/// Returns the array after a change.
fn changed(change: impl FnOnce(&mut [i32])) -> [i32; 5] {
    let mut xs = XS;
    change(&mut xs);
    xs
}

fn lengths<'d>(pieces: impl ParallelIterator<Item = &'d [i32]>) -> Vec<usize> {
    pieces.map(<[i32]>::len).collect()
}

fn add_one(piece: &mut [i32]) {
    piece[0] += 1;
}

#[test]
fn slices() {
    calls! { ParallelSlice:
        par_split: lengths(XS.par_split(|x| *x == 2)) => [2, 2];
        par_split_inclusive: lengths(XS.par_split_inclusive(|x| *x == 2)) => [3, 2];
        par_windows: lengths(XS.par_windows(4)) => [4, 4];
        par_chunks: lengths(XS.par_chunks(2)) => [2, 2, 1];
        par_chunks_exact: lengths(XS.par_chunks_exact(2)) => [2, 2];
        par_rchunks: lengths(XS.par_rchunks(2)) => [2, 2, 1];
        par_rchunks_exact: lengths(XS.par_rchunks_exact(2)) => [2, 2];
        par_chunk_by: lengths(XS.par_chunk_by(|a, b| a < b)) => [1, 3, 1];
    }
    calls! { ParallelSliceMut:
        par_split_mut: changed(|xs| xs.par_split_mut(|x| *x == 2).for_each(add_one)) => [4, 1, 2, 6, 4];
        par_split_inclusive_mut: changed(|xs| xs.par_split_inclusive_mut(|x| *x == 2).for_each(add_one)) => [4, 1, 2, 6, 4];
        par_chunks_mut: changed(|xs| xs.par_chunks_mut(2).for_each(add_one)) => [4, 1, 3, 5, 5];
        par_chunks_exact_mut: changed(|xs| xs.par_chunks_exact_mut(2).for_each(add_one)) => [4, 1, 3, 5, 4];
        par_rchunks_mut: changed(|xs| xs.par_rchunks_mut(2).for_each(add_one)) => [4, 2, 2, 6, 4];
        par_rchunks_exact_mut: changed(|xs| xs.par_rchunks_exact_mut(2).for_each(add_one)) => [3, 2, 2, 6, 4];
        par_chunk_by_mut: changed(|xs| xs.par_chunk_by_mut(|a, b| a < b).for_each(add_one)) => [4, 2, 2, 5, 5];
        par_sort: changed(|xs| xs.par_sort()) => [1, 2, 3, 4, 5];
        par_sort_by: changed(|xs| xs.par_sort_by(|a, b| b.cmp(a))) => [5, 4, 3, 2, 1];
        par_sort_by_key: changed(|xs| xs.par_sort_by_key(|x| -x)) => [5, 4, 3, 2, 1];
        par_sort_by_cached_key: changed(|xs| xs.par_sort_by_cached_key(|x| -x)) => [5, 4, 3, 2, 1];
        par_sort_unstable: changed(|xs| xs.par_sort_unstable()) => [1, 2, 3, 4, 5];
        par_sort_unstable_by: changed(|xs| xs.par_sort_unstable_by(|a, b| b.cmp(a))) => [5, 4, 3, 2, 1];
        par_sort_unstable_by_key: changed(|xs| xs.par_sort_unstable_by_key(|x| -x)) => [5, 4, 3, 2, 1];
    }
    let mut xs = XS;
    calls! { ChunksExact: remainder: XS.par_chunks_exact(2).remainder() => [4]; }
    calls! { RChunksExact: remainder: XS.par_rchunks_exact(2).remainder() => [3]; }
    calls! { ChunksExactMut:
        into_remainder: xs.par_chunks_exact_mut(2).into_remainder() => [4];
        remainder: xs.par_chunks_exact_mut(2).remainder() => [4];
        take_remainder: xs.par_chunks_exact_mut(2).take_remainder() => [4];
    }
    calls! { RChunksExactMut:
        into_remainder: xs.par_rchunks_exact_mut(2).into_remainder() => [3];
        remainder: xs.par_rchunks_exact_mut(2).remainder() => [3];
        take_remainder: xs.par_rchunks_exact_mut(2).take_remainder() => [3];
    }
}

fn pieces<T: Send>(pieces: impl ParallelIterator<Item = T>) -> Vec<T> {
    pieces.collect()
}

#[test]
fn strings() {
    calls! { ParallelString:
        par_chars: pieces("ab".par_chars()) => ['a', 'b'];
        par_char_indices: pieces("ab".par_char_indices()) => [(0, 'a'), (1, 'b')];
        par_bytes: pieces("ab".par_bytes()) => *b"ab";
        par_encode_utf16: pieces("ab".par_encode_utf16()) => [97, 98];
        par_split: pieces("a,b,".par_split(',')) => ["a", "b", ""];
        par_split_inclusive: pieces("a,b,".par_split_inclusive(',')) => ["a,", "b,"];
        par_split_terminator: pieces("a,b,".par_split_terminator(',')) => ["a", "b"];
        par_lines: pieces("a\nb\n".par_lines()) => ["a", "b"];
        par_split_whitespace: pieces(" a  b".par_split_whitespace()) => ["a", "b"];
        par_split_ascii_whitespace: pieces(" a  b".par_split_ascii_whitespace()) => ["a", "b"];
        par_matches: pieces("a1b".par_matches(char::is_alphabetic)) => ["a", "b"];
        par_match_indices: pieces("a1b".par_match_indices(char::is_alphabetic)) => [(0, "a"), (2, "b")];
    }
}
