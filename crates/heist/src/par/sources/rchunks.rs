//! Slices, piece by piece from the end; and with nothing but whole pieces.

use super::chunks::{ChunksSource, ParChunks, ParChunksMut};
use super::sequence_of_source;
use super::slice::{SliceMutSource, SliceSource};
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid, Source};
use std::iter::Rev;
use std::mem::take;
use std::slice;

/// The pieces of a slice, the last one first: [`xs.par_rchunks(n)`](crate::par::ParSlice::par_rchunks).
#[derive(Debug)]
pub struct ParRChunks<'s, T> {
    slice: &'s [T],
    size: usize,
}

impl<T> Clone for ParRChunks<'_, T> {
    fn clone(&self) -> Self {
        ParRChunks { ..*self }
    }
}

/// The pieces of a slice, the last one first, to be changed: [`xs.par_rchunks_mut(n)`](crate::par::ParSliceMut::par_rchunks_mut).
#[derive(Debug)]
pub struct ParRChunksMut<'s, T> {
    slice: &'s mut [T],
    size: usize,
}

/// What is left of [`ParRChunks`] or [`ParRChunksMut`], whose elements are `S`.
#[derive(Debug)]
pub struct RChunksSource<S> {
    elements: S,
    size: usize,
}

macro_rules! rchunks {
    ($sequence:ident, $elements:ident, $bound:ident, [$($kind:tt)*], $iter:ident, $iterate:ident, $take:expr) => {
        impl<'s, T> $sequence<'s, T> {
            pub(crate) fn new(slice: &'s $($kind)* [T], size: usize) -> Self {
                assert!(size > 0, "heist: chunks must not be empty");
                $sequence { slice, size }
            }
        }

        impl<'s, T: $bound> Solid for RChunksSource<$elements<'s, T>> {}

        impl<'s, T: $bound> Chunk for RChunksSource<$elements<'s, T>> {
            type Item = &'s $($kind)* [T];
            type Iter = slice::$iter<'s, T>;

            #[inline]
            fn len(&self) -> usize {
                self.elements.0.len().div_ceil(self.size)
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                // The last piece, which stands first, may be short.
                let left = self.elements.0.len().saturating_sub(count.saturating_mul(self.size));
                RChunksSource {
                    elements: self.elements.split_off(left),
                    size: self.size,
                }
            }

            #[inline]
            fn into_iter(self) -> Self::Iter {
                self.elements.0.$iterate(self.size)
            }
        }

        impl<'s, T: $bound> Reversible for RChunksSource<$elements<'s, T>> {
            type Back = Rev<slice::$iter<'s, T>>;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.into_iter().rev()
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, &'s $($kind)* [T]);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = RChunksSource<$elements<'s, T>>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.slice.len().div_ceil(self.size)
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                RChunksSource {
                    elements: $elements($take(&mut self.slice)),
                    size: self.size,
                }
            }
        }
    };
}
rchunks!(
    ParRChunks,
    SliceSource,
    Sync,
    [],
    RChunks,
    rchunks,
    take::<&'s [T]>
);
rchunks!(ParRChunksMut, SliceMutSource, Send, [mut], RChunksMut, rchunks_mut, take::<&'s mut [T]>);

/// Pieces of a slice, all of the same size, and what is left over. `$divide` tells how many elements stand before the cut between both, of the
/// length and of how many are left over; `$order` puts the two parts in this order: pieces, remainder.
macro_rules! exact {
    (
        $(#[$doc:meta])* $sequence:ident, $pieces:ident, $source:ident, $elements:ident, $bound:ident,
        [$($kind:tt)*], $split_at:ident, $divide:expr, |$left:ident, $right:ident| $order:expr
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $sequence<'s, T> {
            pieces: $pieces<'s, T>,
            remainder: &'s $($kind)* [T],
        }

        impl<'s, T> $sequence<'s, T> {
            pub(crate) fn new(slice: &'s $($kind)* [T], size: usize) -> Self {
                assert!(size > 0, "heist: chunks must not be empty");
                let divide: fn(usize, usize) -> usize = $divide;
                let at = divide(slice.len(), slice.len() % size);
                let ($left, $right) = slice.$split_at(at);
                let (pieces, remainder) = $order;
                $sequence {
                    pieces: $pieces::new(pieces, size),
                    remainder,
                }
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, &'s $($kind)* [T]);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = $source<$elements<'s, T>>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.pieces.len()
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                self.pieces.source()
            }
        }
    };
}
exact!(
    /// The whole pieces of a slice: [`xs.par_chunks_exact(n)`](crate::par::ParSlice::par_chunks_exact).
    ParChunksExact, ParChunks, ChunksSource, SliceSource, Sync,
    [], split_at, |len, over| len - over, |left, right| (left, right)
);
exact!(
    /// The whole pieces of a slice, to be changed: [`xs.par_chunks_exact_mut(n)`](crate::par::ParSliceMut::par_chunks_exact_mut).
    ParChunksExactMut, ParChunksMut, ChunksSource, SliceMutSource, Send,
    [mut], split_at_mut, |len, over| len - over, |left, right| (left, right)
);
exact!(
    /// The whole pieces of a slice, the last one first: [`xs.par_rchunks_exact(n)`](crate::par::ParSlice::par_rchunks_exact).
    ParRChunksExact, ParRChunks, RChunksSource, SliceSource, Sync,
    [], split_at, |_, over| over, |left, right| (right, left)
);
exact!(
    /// The whole pieces of a slice, the last one first, to be changed:
    /// [`xs.par_rchunks_exact_mut(n)`](crate::par::ParSliceMut::par_rchunks_exact_mut).
    ParRChunksExactMut, ParRChunksMut, RChunksSource, SliceMutSource, Send,
    [mut], split_at_mut, |_, over| over, |left, right| (right, left)
);

macro_rules! remainder {
    ($($sequence:ident),*) => {$(
        impl<T> Clone for $sequence<'_, T> {
            fn clone(&self) -> Self {
                $sequence {
                    pieces: self.pieces.clone(),
                    remainder: self.remainder,
                }
            }
        }

        impl<'s, T> $sequence<'s, T> {
            /// The elements that are left over, fewer than a piece has.
            pub fn remainder(&self) -> &'s [T] {
                self.remainder
            }
        }
    )*};
}
remainder!(ParChunksExact, ParRChunksExact);

macro_rules! remainder_mut {
    ($($sequence:ident),*) => {$(
        impl<'s, T> $sequence<'s, T> {
            /// The elements that are left over, fewer than a piece has, in place of the sequence.
            pub fn into_remainder(self) -> &'s mut [T] {
                self.remainder
            }

            /// The elements that are left over, fewer than a piece has.
            pub fn remainder(&mut self) -> &mut [T] {
                self.remainder
            }

            /// Takes the elements that are left over out of the sequence: none are, when asked again.
            pub fn take_remainder(&mut self) -> &'s mut [T] {
                take(&mut self.remainder)
            }
        }
    )*};
}
remainder_mut!(ParChunksExactMut, ParRChunksExactMut);
