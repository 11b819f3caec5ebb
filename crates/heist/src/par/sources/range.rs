//! Ranges of integers, and ranges of characters.

use super::wide::sequence_of_range;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use std::iter::Rev;
use std::ops::{Range, RangeInclusive};

/// The element types of ranges: integers and characters.
///
/// This trait is sealed.
pub trait RangeIndex: Copy + Send + Sync + sealed::Index {}

mod sealed {
    use std::ops::{Range, RangeInclusive};

    pub trait Index: Sized {
        /// Whether a range of this type may have more values than a `usize` can count. If not, the compiler leaves out the code for such
        /// ranges, which is a large part of the code of a loop.
        const WIDE: bool;
        /// Like `WIDE`, for ranges that include their end.
        const WIDE_INCLUSIVE: bool;

        /// An iterator over a `Range<Self>`. For each integer type, the iterator is the range itself. But generic code cannot state that a
        /// range is an iterator.
        type Iter: DoubleEndedIterator<Item = Self>;

        fn iter(range: Range<Self>) -> Self::Iter;

        /// An iterator over a `RangeInclusive<Self>`.
        type Inclusive: DoubleEndedIterator<Item = Self>;

        /// Returns an iterator over the `len` values from `start` on.
        fn iter_inclusive(start: Self, len: usize) -> Self::Inclusive;
        /// Returns the number of values in an inclusive range, if it fits a `usize`.
        fn distance_inclusive(range: &RangeInclusive<Self>) -> Option<usize>;
        /// Returns the number of values in a range, if it fits a `usize`.
        fn distance(range: &Range<Self>) -> Option<usize>;
        /// Returns the value half way between `start` and `end`, rounded down.
        fn middle(start: Self, end: Self) -> Self;
        /// Returns the value before `self`. `self` must not be the first value of its type.
        fn before(self) -> Self;
        /// Returns the value `count` steps behind `self`. The caller must ensure that the type has such a value.
        fn after(self, count: usize) -> Self;
    }
}

/// The sequence that [`(0..n).par()`](crate::par::ToPar::par) returns: the integers of a range.
///
/// A range of more than `usize::MAX` integers, such as one of `u128`, can be searched and folded like every other range. Operations
/// that need the length or positions, such as `enumerate` and `zip`, panic.
#[derive(Clone, Debug)]
pub struct ParRange<T> {
    range: Range<T>,
}

/// The remaining integers of a range. The number of integers must fit a `usize`.
#[derive(Debug)]
pub struct RangeSource<T>(Range<T>);

/// Returns the length of a range. Panics if the length does not fit a `usize`.
#[inline]
pub(super) fn expect_length(length: Option<usize>) -> usize {
    match length {
        Some(length) => length,
        None => has_no_length(),
    }
}

#[cold]
fn has_no_length() -> ! {
    panic!("heist: a range of more than usize::MAX items has neither a length nor positions");
}

impl<T: RangeIndex> Solid for RangeSource<T> {}

impl<T: RangeIndex> Chunk for RangeSource<T> {
    type Item = T;
    type Iter = T::Iter;

    #[inline]
    fn len(&self) -> usize {
        // No source is made from a range whose length does not fit a `usize`, so the default is not used.
        T::distance(&self.0).unwrap_or(usize::MAX)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let middle = self.0.start.after(count);
        let left = self.0.start..middle;
        self.0.start = middle;
        RangeSource(left)
    }

    #[inline]
    fn into_iter(self) -> T::Iter {
        T::iter(self.0)
    }
}

impl<T: RangeIndex> Reversible for RangeSource<T> {
    type Back = Rev<T::Iter>;

    #[inline]
    fn into_back(self) -> Self::Back {
        T::iter(self.0).rev()
    }
}

sequence_of_range!(
    ParRange<T>,
    T::WIDE,
    |range: &ParRange<T>| T::distance(&range.range),
    |range: &ParRange<T>| (range.range.start, range.range.end.before())
);

impl<T: RangeIndex> Indexed for ParRange<T> {
    type Source<'a>
        = RangeSource<T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        expect_length(T::distance(&self.range))
    }

    #[inline]
    fn source(&mut self) -> RangeSource<T> {
        // The call panics if the length does not fit a `usize`, before any code cuts the range.
        let _: usize = self.len();
        RangeSource(self.range.clone())
    }
}

impl<T: RangeIndex> IntoPar for Range<T> {
    type Item = T;
    type Par = ParRange<T>;

    #[inline]
    fn into_par(self) -> ParRange<T> {
        ParRange { range: self }
    }
}

impl<T: RangeIndex> IntoPar for &Range<T> {
    type Item = T;
    type Par = ParRange<T>;

    #[inline]
    fn into_par(self) -> ParRange<T> {
        self.clone().into_par()
    }
}

macro_rules! index {
    ($($integer:ty),*) => {$(
        impl sealed::Index for $integer {
            // A range without its end has fewer values than the type, and the type has `2.pow(BITS)` values.
            const WIDE: bool = <$integer>::BITS > usize::BITS;
            const WIDE_INCLUSIVE: bool = <$integer>::BITS >= usize::BITS;

            type Iter = Range<$integer>;
            type Inclusive = RangeInclusive<$integer>;

            #[inline]
            fn iter_inclusive(start: $integer, len: usize) -> RangeInclusive<$integer> {
                if len == 0 {
                    #[allow(clippy::reversed_empty_ranges, reason = "an empty one is wanted")]
                    return 1..=0;
                }
                start..=sealed::Index::after(start, len - 1)
            }

            #[inline]
            fn distance_inclusive(range: &RangeInclusive<$integer>) -> Option<usize> {
                if range.is_empty() {
                    return Some(0);
                }
                let less = usize::try_from(range.end().abs_diff(*range.start())).ok()?;
                less.checked_add(1)
            }

            #[inline]
            fn iter(range: Range<$integer>) -> Range<$integer> {
                range
            }

            #[inline]
            fn distance(range: &Range<$integer>) -> Option<usize> {
                if range.start >= range.end {
                    return Some(0);
                }
                // The difference is computed in the unsigned type of the same width, so the result is right for signed integers,
                // too.
                usize::try_from(range.end.abs_diff(range.start)).ok()
            }

            #[inline]
            fn middle(start: $integer, end: $integer) -> $integer {
                start.wrapping_add((end.abs_diff(start) / 2) as $integer)
            }

            #[inline]
            fn before(self) -> $integer {
                self - 1
            }

            #[inline]
            fn after(self, count: usize) -> $integer {
                self.wrapping_add(count as $integer)
            }
        }

        impl RangeIndex for $integer {}
    )*};
}
index!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

/// The surrogates: code points that are not characters.
const SURROGATES: std::ops::Range<u32> = 0xd800..0xe000;

/// Returns the number of characters with a lower code point than this character.
#[inline]
fn place(c: char) -> usize {
    let c = u32::from(c);
    let before = if c < SURROGATES.end {
        0
    } else {
        SURROGATES.len()
    };
    c as usize - before
}

impl sealed::Index for char {
    const WIDE: bool = false;
    const WIDE_INCLUSIVE: bool = false;

    type Iter = Range<char>;
    type Inclusive = RangeInclusive<char>;

    #[inline]
    fn iter_inclusive(start: char, len: usize) -> RangeInclusive<char> {
        if len == 0 {
            #[allow(clippy::reversed_empty_ranges, reason = "an empty one is wanted")]
            return '\u{1}'..='\0';
        }
        start..=sealed::Index::after(start, len - 1)
    }

    fn distance_inclusive(range: &RangeInclusive<char>) -> Option<usize> {
        if range.is_empty() {
            return Some(0);
        }
        Some(place(*range.end()) - place(*range.start()) + 1)
    }

    #[inline]
    fn iter(range: Range<char>) -> Range<char> {
        range
    }

    #[inline]
    fn distance(range: &Range<char>) -> Option<usize> {
        Some(place(range.end).saturating_sub(place(range.start)))
    }

    #[inline]
    fn middle(start: char, end: char) -> char {
        start.after((place(end) - place(start)) / 2)
    }

    #[inline]
    fn before(self) -> char {
        '\0'.after(place(self) - 1)
    }

    #[inline]
    fn after(self, count: usize) -> char {
        let at = place(self) + count;
        let skipped = if at < SURROGATES.start as usize {
            0
        } else {
            SURROGATES.len()
        };
        // If no character is at this place, the place is behind the last character, and the caller does not use the result.
        char::from_u32((at + skipped) as u32).unwrap_or(char::MAX)
    }
}

impl RangeIndex for char {}
