//! Imports each type, trait and function of rayon that `heist::rayon` has.

#![allow(unused_imports, reason = "the imports are the test")]

use super::rayon;
use rayon::iter::{
    Chain, Chunks, Cloned, Copied, Either, Enumerate, Filter, FilterMap, FlatMap, FlatMapIter,
    Flatten, FlattenIter, FoldChunks, FoldChunksWith, FromParallelIterator,
    IndexedParallelIterator, Inspect, Interleave, InterleaveShortest, Intersperse,
    IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, IterBridge, Map,
    MapInit, MapWith, ParallelBridge, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    ParallelIterator, Positions, Rev, Skip, Split, StepBy, Take, Update, WhileSome, Zip, empty,
    once, repeat_n, split,
};
use rayon::{
    BroadcastContext, FnContext, Scope, ScopeFifo, ThreadBuilder, ThreadPool, ThreadPoolBuildError,
    ThreadPoolBuilder, broadcast, current_num_threads, current_thread_index, in_place_scope,
    in_place_scope_fifo, iter, join, join_context, max_num_threads, prelude, scope, scope_fifo,
    slice, spawn, spawn_fifo, str, yield_now,
};

/// The names of `rayon::prelude`.
mod of_prelude {
    use super::rayon::prelude::{
        FromParallelIterator, IndexedParallelIterator, IntoParallelIterator,
        IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelBridge, ParallelDrainFull,
        ParallelDrainRange, ParallelExtend, ParallelIterator, ParallelSlice, ParallelSliceMut,
        ParallelString,
    };
}

/// The names of `rayon::slice`.
mod of_slice {
    use super::rayon::slice::{
        ChunkBy, ChunkByMut, Chunks, ChunksExact, ChunksExactMut, ChunksMut, Iter, IterMut,
        ParallelSlice, ParallelSliceMut, RChunks, RChunksExact, RChunksExactMut, RChunksMut, Split,
        SplitInclusive, SplitInclusiveMut, SplitMut, Windows,
    };
}

/// The names of `rayon::str`.
mod of_str {
    use super::rayon::str::{
        Bytes, CharIndices, Chars, EncodeUtf16, Lines, MatchIndices, Matches, ParallelString,
        Split, SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace,
    };
}

/// Checks that the types take the same arguments as rayon's.
#[test]
fn types_have_the_parameters_of_rayons() {
    use rayon::prelude::*;
    let chunks: rayon::slice::Chunks<'_, u8> = [1, 2].par_chunks(1);
    let is_two: fn(&&u8) -> bool = |x| **x == 2;
    let filtered: Filter<rayon::slice::Iter<'_, u8>, fn(&&u8) -> bool> =
        [1, 2].par_iter().filter(is_two);
    let bridge: IterBridge<std::vec::IntoIter<u8>> = vec![1].into_iter().par_bridge();
    let split: rayon::str::Split<'_, char> = "a b".par_split(' ');
    assert_eq!((chunks.count(), filtered.count()), (2, 1));
    assert_eq!((bridge.count(), split.count()), (1, 2));
}
