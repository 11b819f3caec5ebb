//! Ranges of integers that include their end.

use super::range::{RangeIndex, expect_length};
use super::wide::sequence_of_range;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use std::iter::Rev;
use std::ops::RangeInclusive;

/// The sequence that [`(1..=n).par()`](crate::par::ToPar::par) returns: the integers of a range that includes its end.
///
/// A range of more than `usize::MAX` integers, such as `0..=u64::MAX`, can be searched and folded like every other range.
/// Operations that need the length or positions, such as `enumerate` and `zip`, panic.
///
/// ```
/// use heist::par::prelude::*;
/// let first = (0..=u64::MAX).par().find_first(|x| x % 1000 == 999 && x % 77 == 5);
/// assert_eq!(first, Some(70_999));
/// ```
#[derive(Clone, Debug)]
pub struct ParRangeInclusive<T> {
    range: RangeInclusive<T>,
}

/// The remaining integers of a range. The number of integers must fit a `usize`.
#[derive(Debug)]
pub struct InclusiveSource<T> {
    pub(super) start: T,
    pub(super) len: usize,
}

impl<T: RangeIndex> Solid for InclusiveSource<T> {}

impl<T: RangeIndex> Chunk for InclusiveSource<T> {
    type Item = T;
    type Iter = T::Inclusive;

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let start = self.start;
        // If no integers are left, `start` may wrap around, but then no code uses `start`.
        self.start = start.after(count);
        self.len -= count;
        InclusiveSource { start, len: count }
    }

    #[inline]
    fn into_iter(self) -> T::Inclusive {
        T::iter_inclusive(self.start, self.len)
    }
}

impl<T: RangeIndex> Reversible for InclusiveSource<T> {
    type Back = Rev<T::Inclusive>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.into_iter().rev()
    }
}

sequence_of_range!(
    ParRangeInclusive<T>,
    T::WIDE_INCLUSIVE,
    |range: &ParRangeInclusive<T>| T::distance_inclusive(&range.range),
    |range: &ParRangeInclusive<T>| (*range.range.start(), *range.range.end())
);

impl<T: RangeIndex> Indexed for ParRangeInclusive<T> {
    type Source<'a>
        = InclusiveSource<T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        expect_length(T::distance_inclusive(&self.range))
    }

    #[inline]
    fn source(&mut self) -> InclusiveSource<T> {
        InclusiveSource {
            start: *self.range.start(),
            len: self.len(),
        }
    }
}

impl<T: RangeIndex> IntoPar for RangeInclusive<T> {
    type Item = T;
    type Par = ParRangeInclusive<T>;

    #[inline]
    fn into_par(self) -> ParRangeInclusive<T> {
        ParRangeInclusive { range: self }
    }
}

impl<T: RangeIndex> IntoPar for &RangeInclusive<T> {
    type Item = T;
    type Par = ParRangeInclusive<T>;

    #[inline]
    fn into_par(self) -> ParRangeInclusive<T> {
        self.clone().into_par()
    }
}
