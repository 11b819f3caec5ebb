//! The traits, functions and types of `rayon::iter`. The types are aliases of the types of [`par`](mod@crate::par).
//!
//! ```
//! use heist::rayon::iter::{ParallelIterator, repeat_n};
//! assert_eq!(repeat_n(2, 5).product::<i32>(), 32);
//! ```

pub use super::prelude::*;
pub use crate::par::{
    Chain, Chunks, Cloned, Copied, Enumerate, Filter, FilterMap, FlatMap, FlatMapIter, Flatten,
    FlattenIter, FoldChunks, FoldChunksWith, Inspect, Interleave, InterleaveShortest, Intersperse,
    Map, MapInit, MapWith, ParDivide as Split, ParIter as IterBridge, Positions, Rev, Skip, StepBy,
    Take, Update, WhileSome, Zip, empty, once, repeat_n, split,
};
pub use either::Either;
