//! Pieces of slices. A function of the caller determines where each piece ends.

use super::spans::{SpanIter, Spans, sequence_of_spans, span};
use std::fmt;
use std::ops::Range;
use std::slice;

/// Defines the type of a parallel sequence of the pieces of a slice. A function of the caller, whose type implements the trait `$function`,
/// determines where each piece ends. `$find` returns the first separator in a range of the slice, according to this function.
macro_rules! splits {
    (
        $(#[$doc:meta])* $sequence:ident, [$($function:tt)*], $iter:ident, $method:ident,
        $positions:expr, $find:expr
    ) => {
        $(#[$doc])*
        pub struct $sequence<'s, T, F> {
            slice: &'s [T],
            function: F,
        }

        impl<'s, T, F> $sequence<'s, T, F> {
            pub(crate) fn new(slice: &'s [T], function: F) -> Self {
                $sequence { slice, function }
            }
        }

        impl<T, F: Clone> Clone for $sequence<'_, T, F> {
            fn clone(&self) -> Self {
                $sequence::new(self.slice, self.function.clone())
            }
        }

        impl<T: fmt::Debug, F> fmt::Debug for $sequence<'_, T, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($sequence))
                    .field("slice", &self.slice)
                    .finish_non_exhaustive()
            }
        }

        impl<'s, T: Sync, F: $($function)* + Send + Sync> Spans for $sequence<'s, T, F> {
            type Item = &'s [T];
            type Iter<'a>
                = SpanIter<slice::$iter<'s, T, &'a F>>
            where
                Self: 'a;

            #[inline]
            fn positions(&self) -> usize {
                let positions: fn(usize) -> Option<usize> = $positions;
                positions(self.slice.len())
                    .expect("heist: a sequence must not be longer than usize::MAX")
            }

            #[inline]
            fn within(&self, range: Range<usize>) -> Self::Iter<'_> {
                let find = |range| $find(self.slice, &self.function, range);
                let span = span(range, self.slice.len(), |at| at, find);
                SpanIter(span.map(|span| self.slice[span].$method(&self.function)))
            }
        }

        sequence_of_spans!(
            ['s, T: Sync, F: $($function)* + Send + Sync] $sequence<'s, T, F>, &'s [T]
        );
    };
}
splits!(
    /// The sequence that [`xs.par_split(is)`](crate::par::ParSlice::par_split) returns: the pieces of a slice between separators.
    ParSplit, [Fn(&T) -> bool], Split, split,
    // If the last element is a separator, an empty last piece begins behind it, so there is one more position.
    |len| len.checked_add(1),
    |slice: &[T], is: &F, range: Range<usize>| {
        let at = range.start + slice[range].iter().position(is)?;
        Some((at, at + 1))
    }
);
splits!(
    /// The sequence that [`xs.par_split_inclusive(is)`](crate::par::ParSlice::par_split_inclusive) returns: the pieces of a slice with the
    /// separators at their ends.
    ParSplitInclusive, [Fn(&T) -> bool], SplitInclusive, split_inclusive,
    Some,
    |slice: &[T], is: &F, range: Range<usize>| {
        let at = range.start + slice[range].iter().position(is)?;
        Some((at + 1, at + 1))
    }
);
splits!(
    /// The sequence that [`xs.par_chunk_by(same)`](crate::par::ParSlice::par_chunk_by) returns: the runs of adjacent elements that belong
    /// together.
    ParChunkBy, [Fn(&T, &T) -> bool], ChunkBy, chunk_by,
    Some,
    // A separator is the boundary between two neighbours. The first neighbour is in the range.
    |slice: &[T], same: &F, range: Range<usize>| {
        let end = slice.len().min(range.end + 1);
        let mut pairs = slice[range.start..end].windows(2);
        let at = range.start + 1 + pairs.position(|pair| !same(&pair[0], &pair[1]))?;
        Some((at, at))
    }
);
