//! Mutable pieces of slices. A function of the caller determines where each piece ends.
//!
//! The start of a piece may depend on elements of an earlier piece, which another worker may be changing. So a separate loop first
//! finds the ends of all pieces.

use super::sequence_by;
use crate::par::prelude::*;
use crate::par::source::{Chunk, Solid};
use crate::par::{Lazy, Splitting};
use std::fmt;
use std::mem::take;
use std::slice;

/// The remaining pieces of a slice.
#[derive(Debug)]
pub(crate) struct SeveredSource<'e, 's, T> {
    slice: &'s mut [T],
    /// The index of the first remaining element in the whole slice. The values in `ends` are indices in the whole slice, too.
    start: usize,
    /// The ends of the remaining pieces.
    ends: &'e [usize],
    /// Number of elements between the end of one piece and the beginning of the next piece.
    gap: usize,
}

impl<'s, T> SeveredSource<'_, 's, T> {
    /// Takes the elements of the next piece, which ends at `end`. Skips the elements between this piece and the next piece.
    #[inline]
    fn sever(&mut self, end: usize) -> &'s mut [T] {
        let (left, right) = take(&mut self.slice).split_at_mut(end - self.start);
        let gap = self.gap.min(right.len());
        self.slice = &mut right[gap..];
        self.start = end + gap;
        left
    }
}

impl<'s, T: Send> Solid for SeveredSource<'_, 's, T> {}

impl<'e, 's, T: Send> Chunk for SeveredSource<'e, 's, T> {
    type Item = &'s mut [T];
    type Iter = SeveredIter<'e, 's, T>;

    #[inline]
    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let (ends, later) = self.ends.split_at(count);
        self.ends = later;
        let start = self.start;
        SeveredSource {
            slice: ends.last().map_or(&mut [], |end| self.sever(*end)),
            start,
            ends,
            gap: self.gap,
        }
    }

    #[inline]
    fn into_iter(self) -> SeveredIter<'e, 's, T> {
        SeveredIter {
            ends: self.ends.iter(),
            rest: self,
        }
    }
}

/// An iterator over mutable pieces of a slice.
#[derive(Debug)]
pub(crate) struct SeveredIter<'e, 's, T> {
    rest: SeveredSource<'e, 's, T>,
    ends: slice::Iter<'e, usize>,
}

impl<'s, T> Iterator for SeveredIter<'_, 's, T> {
    type Item = &'s mut [T];

    #[inline]
    fn next(&mut self) -> Option<&'s mut [T]> {
        self.ends.next().map(|end| self.rest.sever(*end))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ends.size_hint()
    }
}

/// Defines a sequence of the pieces of a slice, with a function of the shape `$function`. `$ends` makes a sequence of the ends of
/// the pieces. `$has_last` receives the slice's length and the last of these ends. If `$has_last` returns true, one more piece ends
/// at the end of the slice.
macro_rules! severed {
    (
        $(#[$doc:meta])* $sequence:ident, [$($bounds:tt)*] [$($function:tt)*], $gap:expr,
        |$slice:ident, $is:ident| $ends:expr, $has_last:expr
    ) => {
        $(#[$doc])*
        pub struct $sequence<'s, T, F> {
            slice: &'s mut [T],
            function: F,
        }

        impl<'s, T, F> $sequence<'s, T, F> {
            pub(crate) fn new(slice: &'s mut [T], function: F) -> Self {
                $sequence { slice, function }
            }
        }

        impl<T: fmt::Debug, F> fmt::Debug for $sequence<'_, T, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($sequence))
                    .field("slice", &self.slice)
                    .finish_non_exhaustive()
            }
        }

        impl<'s, T: $($bounds)*, F: $($function)* + Send + Sync> $sequence<'s, T, F> {
            /// Returns the ends of the pieces.
            fn ends<X: Splitting>(&mut self, policy: X) -> Vec<usize> {
                let ($slice, $is) = (&mut *self.slice, &self.function);
                let mut ends: Vec<usize> = $ends.splitting(policy).collect();
                let has_last: fn(usize, Option<&usize>) -> bool = $has_last;
                let len = self.slice.len();
                if has_last(len, ends.last()) {
                    ends.push(len);
                }
                ends
            }
        }

        sequence_by!(
            ['s, T: $($bounds)*, F: $($function)* + Send + Sync] $sequence<'s, T, F>, &'s mut [T], Lazy, |_| Lazy,
            bound: |this| this.slice.len().saturating_add(1),
            exact_len: |_| None,
            source: |this, policy| SeveredSource {
                ends: &this.ends(policy),
                slice: take(&mut this.slice),
                start: 0,
                gap: $gap,
            }
        );
    };
}
severed!(
    /// The sequence that [`xs.par_split_mut(is)`](crate::par::ParSliceMut::par_split_mut) returns: the mutable pieces of a slice between
    /// separators.
    ParSplitMut, [Send] [Fn(&T) -> bool], 1,
    |slice, is| slice.par_mut().enumerate().filter(|(_, x)| is(x)).map(|(at, _)| at),
    |_, _| true
);
severed!(
    /// The sequence that [`xs.par_split_inclusive_mut(is)`](crate::par::ParSliceMut::par_split_inclusive_mut) returns: the mutable pieces
    /// of a slice with the separators at their ends.
    ParSplitInclusiveMut, [Send] [Fn(&T) -> bool], 0,
    |slice, is| slice.par_mut().enumerate().filter(|(_, x)| is(x)).map(|(at, _)| at + 1),
    |len, last| len > 0 && last != Some(&len)
);
severed!(
    /// The sequence that [`xs.par_chunk_by_mut(same)`](crate::par::ParSliceMut::par_chunk_by_mut) returns: the runs of adjacent elements
    /// that belong together, as mutable slices.
    ParChunkByMut, [Send + Sync] [Fn(&T, &T) -> bool], 0,
    |slice, same| {
        let pairs = slice.par_windows(2).enumerate();
        let unequal = pairs.filter(|(_, pair)| !same(&pair[0], &pair[1]));
        unequal.map(|(at, _)| at + 1)
    },
    |len, _| len > 0
);
