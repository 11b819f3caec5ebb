//! The traits and types of `rayon::slice`. The types are aliases of the types of [`par`](mod@crate::par).
//!
//! ```
//! use heist::rayon::prelude::*;
//! use heist::rayon::slice::Chunks;
//!
//! fn pairs(xs: &[u32]) -> Chunks<'_, u32> {
//!     xs.par_chunks(2)
//! }
//! assert_eq!(pairs(&[1, 2, 3]).map(|pair| pair.len()).collect::<Vec<_>>(), [2, 1]);
//! ```

pub use super::prelude::{ParSort, ParallelSlice, ParallelSliceMut};
pub use crate::par::{
    ParChunkBy as ChunkBy, ParChunkByMut as ChunkByMut, ParChunks as Chunks,
    ParChunksExact as ChunksExact, ParChunksExactMut as ChunksExactMut, ParChunksMut as ChunksMut,
    ParMut as IterMut, ParRChunks as RChunks, ParRChunksExact as RChunksExact,
    ParRChunksExactMut as RChunksExactMut, ParRChunksMut as RChunksMut, ParRef as Iter,
    ParSplit as Split, ParSplitInclusive as SplitInclusive,
    ParSplitInclusiveMut as SplitInclusiveMut, ParSplitMut as SplitMut, ParWindows as Windows,
};
