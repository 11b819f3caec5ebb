//! Pieces of slices, all of which have the full size.

use super::chunks::ChunksSource;
use super::sequence_of_source;
use super::slice::{SliceMutSource, SliceSource};
use crate::par::Indexed;
use std::mem::take;

/// Defines a sequence of the pieces of a slice, with a remainder. All pieces have the same size. `$divide` computes the cut between
/// the pieces and the remainder, from the length of the slice and the size of the remainder. `$order` receives the two sides of the
/// cut and returns the pieces and the remainder.
macro_rules! exact {
    (
        $(#[$doc:meta])* $sequence:ident, $elements:ident, $bound:ident, $from_end:literal,
        [$($kind:tt)*], $split_at:ident, $divide:expr, |$left:ident, $right:ident| $order:expr
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $sequence<'s, T> {
            pieces: &'s $($kind)* [T],
            size: usize,
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
                    pieces,
                    size,
                    remainder,
                }
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, &'s $($kind)* [T]);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = ChunksSource<$elements<'s, T>, $from_end, true>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.pieces.len() / self.size
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                ChunksSource {
                    elements: $elements(take(&mut self.pieces)),
                    size: self.size,
                }
            }
        }
    };
}
exact!(
    /// The sequence that [`xs.par_chunks_exact(n)`](crate::par::ParSlice::par_chunks_exact) returns: the full-size pieces of a slice.
    ParChunksExact, SliceSource, Sync, false,
    [], split_at, |len, over| len - over, |left, right| (left, right)
);
exact!(
    /// The sequence that [`xs.par_chunks_exact_mut(n)`](crate::par::ParSliceMut::par_chunks_exact_mut) returns: the mutable full-size
    /// pieces of a slice.
    ParChunksExactMut, SliceMutSource, Send, false,
    [mut], split_at_mut, |len, over| len - over, |left, right| (left, right)
);
exact!(
    /// The sequence that [`xs.par_rchunks_exact(n)`](crate::par::ParSlice::par_rchunks_exact) returns: the full-size pieces of a slice,
    /// counted from its end.
    ParRChunksExact, SliceSource, Sync, true,
    [], split_at, |_, over| over, |left, right| (right, left)
);
exact!(
    /// The sequence that [`xs.par_rchunks_exact_mut(n)`](crate::par::ParSliceMut::par_rchunks_exact_mut) returns: the mutable full-size
    /// pieces of a slice, counted from its end.
    ParRChunksExactMut, SliceMutSource, Send, true,
    [mut], split_at_mut, |_, over| over, |left, right| (right, left)
);

macro_rules! remainder {
    ($($sequence:ident),*) => {$(
        impl<T> Clone for $sequence<'_, T> {
            fn clone(&self) -> Self {
                $sequence { ..*self }
            }
        }

        impl<'s, T> $sequence<'s, T> {
            /// Returns the elements that are left over because they are too few for another piece.
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
            /// Drops the sequence. Returns the elements that are left over because they are too few for another piece.
            pub fn into_remainder(self) -> &'s mut [T] {
                self.remainder
            }

            /// Returns the elements that are left over because they are too few for another piece.
            pub fn remainder(&mut self) -> &mut [T] {
                self.remainder
            }

            /// Takes the remainder, the elements that are left over, out of the sequence. A second call returns an empty slice.
            pub fn take_remainder(&mut self) -> &'s mut [T] {
                take(&mut self.remainder)
            }
        }
    )*};
}
remainder_mut!(ParChunksExactMut, ParRChunksExactMut);
