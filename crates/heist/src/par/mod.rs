//! Data parallelism without a grain size: operations on slices, vectors, ranges and ropes.
//!
//! ```
//! use heist::par::prelude::*;
//!
//! let xs: Vec<u64> = (0..100_000).par().map(|x| x * x).collect();
//! let sum: u64 = xs.par().filter(|x| **x % 3 == 0).map(|x| x / 3).sum();
//! let first = xs.par().find_first(|x| **x > 1_000_000);
//! assert_eq!((sum, first), (37_037_592_587_037, Some(&1_002_001)));
//! ```
//!
//! A parallel sequence ([`Par`]) has the operations of an iterator. [`par`](ToPar::par) makes a sequence of references to elements,
//! or of the integers of a range. [`par_mut`](ToParMut::par_mut) makes a sequence of exclusive references, and
//! [`into_par`](IntoPar::into_par) a sequence of values. If the items keep their positions ([`Indexed`]), the sequence can be
//! zipped, numbered, cut and scanned.
//!
//! # No grain size
//!
//! By default ([`Lazy`]) an operation runs as a loop on the calling worker until another worker has nothing to do. The idle worker then
//! takes half of the remaining items. So this method of splitting suits ten items as well as ten million items, and items that take a
//! nanosecond as well as items that take a second. The method works even if the first item takes as long as all other items together. A
//! short loop within another parallel loop costs about 4 ns more than an iterator. So a program can nest parallel loops to any depth. The
//! file `par/splitting/README.md` in the source folder explains the method.
//!
//! For comparison, [`splitting`](Par::splitting) selects one of the splitting methods from the literature instead.
//!
//! # One result
//!
//! An operation has the same result as on an iterator, in the same order, with any number of workers and under any schedule. There are
//! three exceptions. The schedule decides which match [`find_any`](Par::find_any), [`find_map_any`](Par::find_map_any) and
//! [`position_any`](Indexed::position_any) return. [`accumulate`](Par::accumulate) merges parts of the schedule, so it may round floats
//! differently on each run. And an iterator may round floats differently from a parallel sequence.
//! - The operators of [`reduce`](Par::reduce) and similar operations must be associative. The operators need not commute.
//! - *Floats*: sums, products, reductions, folds and prefixes have **the same bits** on 1 worker or 64, because the grouping of the items
//!   depends on the length alone. Sums and reductions usually have smaller rounding errors than those of an iterator. Sums and products of
//!   floats are also faster than those of an iterator, because four accumulators take turns.
//! - If several items fail ([`try_for_each`](Par::try_for_each), [`try_reduce`](Par::try_reduce), results that are
//!   [collected](Par::collect)), the operation returns the leftmost failure, and ends early.
//! - If the closure of an operation panics for several items, the operation rethrows the leftmost panic. After a panic, no worker begins an
//!   item to the right of this panic, and each item is dropped once. The schedule decides when the operators of folds are called. So if
//!   several calls of an operator panic, the operation may rethrow any of these panics. The same holds for a function that splits a slice
//!   or a text, because a worker that searches for the end of a piece also checks elements behind its own part.
//!
//! # Ropes
//!
//! A [`Rope`] is a persistent sequence with arrays at its leaves. A clone takes O(1). A cut or a concatenation takes O(log n).
//! Ropes are the parallel arrays of Rainey's thesis. All operations of parallel sequences work on ropes, with the same results as
//! on slices and vectors:
//! - [`par`](ToPar::par) passes the items by reference. [`into_par`](IntoPar::into_par) passes the items by value. The sequence of
//!   `into_par` moves an item out of the rope if no other rope shares the item, and otherwise clones it. Ropes have no `par_mut`, because
//!   no operation writes to shared leaves. Ropes have no chunks or windows, because these are pieces of slices.
//! - There are several ways to make a rope: [`collect`](Par::collect) and [`collect_rope`](Par::collect_rope),
//!   [`par_extend`](ParExtend::par_extend), or [`inclusive_scan_rope`](Indexed::inclusive_scan_rope) and
//!   [`exclusive_scan_rope`](Indexed::exclusive_scan_rope). To sort a rope, use [`Rope::par_sorted`] and its variants.
//! - `vec.into_par().collect::<Rope<_>>()` and `rope.into_par().collect::<Vec<_>>()` convert in parallel. `From` converts serially,
//!   and does not require [`Send`].
//!
//! ```
//! use heist::par::{Rope, prelude::*};
//!
//! let xs: Rope<u64> = (0..10_000).par().collect();
//! let odd: Rope<u64> = xs.par().copied().filter(|x| x % 2 == 1).collect();
//! let both: Rope<u64> = xs.concat(odd).into_par().map(|x| x / 2).collect();
//! assert_eq!((both.len(), both[12_345]), (15_000, 2345));
//! ```
//!
//! # Collections of other crates
//!
//! [`Par`] and [`Indexed`] are sealed, but other crates can still provide parallel sequences. If a crate implements [`Producer`] for a run
//! of its items, [`from_producer`] makes a sequence of these items with all operations. If the crate also implements [`IntoPar`], its
//! collections get `par`, `par_mut` and `into_par`.

mod adapters;
mod ask;
mod bounds;
mod bridge;
mod build;
mod collect;
mod drain;
mod indexed;
mod into;
mod job;
mod jobs;
mod limit;
mod outcome;
mod producer;
mod rope;
mod sequence;
mod slices;
mod sort;
mod source;
mod sources;
mod splitting;
mod strings;
#[cfg(all(test, not(heist_model)))]
mod tests;

pub use adapters::{
    Chain, Chunks, Cloned, Copied, Enumerate, Filter, FilterMap, FlatMap, FlatMapIter, Flatten,
    FlattenIter, FoldChunks, FoldChunksWith, InChunks, Inspect, Interleave, InterleaveShortest,
    Intersperse, Map, MapInit, MapWith, Positions, Progress, Rev, Skip, Split, StepBy, Take,
    Update, WhileSome, Zip,
};
pub use bridge::ParBridge;
pub use build::{empty, map2, once, repeat_n, split, tabulate};
pub use collect::{FromPar, ParExtend};
pub use drain::{ParDrainFull, ParDrainRange};
pub use indexed::Indexed;
pub use into::{IntoPar, ToPar, ToParMut};
pub use outcome::Outcome;
pub use producer::{Producer, from_producer};
pub use rope::{DEFAULT_LEAF, MAX_LEAF, Rope, RopeBuilder, RopeIntoIter, RopeIter, RopeLeaves};
pub use sequence::Par;
pub use slices::{ParSlice, ParSliceMut};
pub use sort::ParSort;
pub use sources::{
    ParCharIndices, ParChars, ParChunkBy, ParChunkByMut, ParChunks, ParChunksExact,
    ParChunksExactMut, ParChunksMut, ParDivide, ParDrain, ParEncodeUtf16, ParIter, ParLines,
    ParMatchIndices, ParMatches, ParMut, ParOption, ParPattern, ParProducer, ParRChunks,
    ParRChunksExact, ParRChunksExactMut, ParRChunksMut, ParRange, ParRangeInclusive, ParRef,
    ParRope, ParRopeOwned, ParSplit, ParSplitAsciiWhitespace, ParSplitInclusive,
    ParSplitInclusiveMut, ParSplitMut, ParSplitWhitespace, ParStrSplit, ParStrSplitInclusive,
    ParStrSplitTerminator, ParVec, ParWindows, RangeIndex,
};
pub use splitting::{Eager, Innermost, Lazy, Splitting, Structural, Tary};
pub use strings::ParStr;

/// The names that must be in scope in a program with parallel sequences.
pub mod prelude {
    pub use super::{
        FromPar, Indexed, IntoPar, Par, ParBridge, ParDrainFull, ParDrainRange, ParExtend,
        ParSlice, ParSliceMut, ParSort, ParStr, ToPar, ToParMut,
    };
}
