//! Pieces of slices, counted from the beginning or from the end.

use super::sequence_of_source;
use super::slice::{SliceMutSource, SliceSource};
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid, Source};
use std::iter::Rev;
use std::mem::take;
use std::slice;

/// The remaining pieces of a slice. The source `S` has the elements. If `FROM_END` is true, pieces are counted from the end of the slice,
/// and the last piece comes first. If `EXACT` is true, all pieces have the full size.
#[derive(Debug)]
pub struct ChunksSource<S, const FROM_END: bool, const EXACT: bool> {
    pub(super) elements: S,
    pub(super) size: usize,
}

/// Defines a source of pieces that are references `&'s $kind [T]`. The slice's method `$iterate` iterates over the pieces.
macro_rules! chunks_source {
    ([$($kind:tt)*] $elements:ident, $bound:ident, $iter:ident, $iterate:ident, $from_end:literal, $exact:literal) => {
        impl<'s, T: $bound> Solid for ChunksSource<$elements<'s, T>, $from_end, $exact> {}

        impl<'s, T: $bound> Chunk for ChunksSource<$elements<'s, T>, $from_end, $exact> {
            type Item = &'s $($kind)* [T];
            type Iter = slice::$iter<'s, T>;

            #[inline]
            fn len(&self) -> usize {
                self.elements.0.len().div_ceil(self.size)
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                let len = self.elements.0.len();
                // The piece at the end may be short.
                let count = count.saturating_mul(self.size).min(len);
                ChunksSource {
                    elements: if $from_end {
                        self.elements.split_off(len - count)
                    } else {
                        self.elements.cut(count)
                    },
                    size: self.size,
                }
            }

            #[inline]
            fn into_iter(self) -> Self::Iter {
                self.elements.0.$iterate(self.size)
            }
        }

        impl<'s, T: $bound> Reversible for ChunksSource<$elements<'s, T>, $from_end, $exact> {
            type Back = Rev<slice::$iter<'s, T>>;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.into_iter().rev()
            }
        }
    };
}
chunks_source!([] SliceSource, Sync, Chunks, chunks, false, false);
chunks_source!([mut] SliceMutSource, Send, ChunksMut, chunks_mut, false, false);
chunks_source!([] SliceSource, Sync, RChunks, rchunks, true, false);
chunks_source!([mut] SliceMutSource, Send, RChunksMut, rchunks_mut, true, false);
chunks_source!([] SliceSource, Sync, ChunksExact, chunks_exact, false, true);
chunks_source!([mut] SliceMutSource, Send, ChunksExactMut, chunks_exact_mut, false, true);
chunks_source!([] SliceSource, Sync, RChunksExact, rchunks_exact, true, true);
chunks_source!([mut] SliceMutSource, Send, RChunksExactMut, rchunks_exact_mut, true, true);

/// Defines a sequence of the pieces of a slice. Each piece has the type `&'s $kind [T]`.
macro_rules! chunks {
    (
        $(#[$doc:meta])* $sequence:ident, [$($kind:tt)*] $elements:ident, $bound:ident, $from_end:literal
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $sequence<'s, T> {
            slice: &'s $($kind)* [T],
            size: usize,
        }

        impl<'s, T> $sequence<'s, T> {
            pub(crate) fn new(slice: &'s $($kind)* [T], size: usize) -> Self {
                assert!(size > 0, "heist: chunks must not be empty");
                $sequence { slice, size }
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, &'s $($kind)* [T]);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = ChunksSource<$elements<'s, T>, $from_end, false>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.slice.len().div_ceil(self.size)
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                ChunksSource {
                    elements: $elements(take(&mut self.slice)),
                    size: self.size,
                }
            }
        }
    };
}
chunks!(
    /// The sequence that [`xs.par_chunks(n)`](crate::par::ParSlice::par_chunks) returns: the pieces of a slice.
    ParChunks, [] SliceSource, Sync, false
);
chunks!(
    /// The sequence that [`xs.par_chunks_mut(n)`](crate::par::ParSliceMut::par_chunks_mut) returns: the mutable pieces of a slice.
    ParChunksMut, [mut] SliceMutSource, Send, false
);
chunks!(
    /// The sequence that [`xs.par_rchunks(n)`](crate::par::ParSlice::par_rchunks) returns: the pieces of a slice, counted from its end.
    ParRChunks, [] SliceSource, Sync, true
);
chunks!(
    /// The sequence that [`xs.par_rchunks_mut(n)`](crate::par::ParSliceMut::par_rchunks_mut) returns: the mutable pieces of a slice,
    /// counted from its end.
    ParRChunksMut, [mut] SliceMutSource, Send, true
);

impl<T> Clone for ParChunks<'_, T> {
    fn clone(&self) -> Self {
        ParChunks { ..*self }
    }
}

impl<T> Clone for ParRChunks<'_, T> {
    fn clone(&self) -> Self {
        ParRChunks { ..*self }
    }
}
