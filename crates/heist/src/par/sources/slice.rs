//! Slices, by reference and by exclusive reference.

use super::sequence_of_source;
use crate::par::source::{Chunk, LOOK_EVERY, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use crate::platform::prefetch;
use std::iter::Rev;
use std::mem::take;
use std::slice;

/// The sequence that [`xs.par()`](crate::par::ToPar::par) returns: the elements of a slice, by reference.
#[derive(Debug)]
pub struct ParRef<'s, T> {
    slice: &'s [T],
}

impl<T> Clone for ParRef<'_, T> {
    fn clone(&self) -> Self {
        ParRef { slice: self.slice }
    }
}

/// The sequence that [`xs.par_mut()`](crate::par::ToParMut::par_mut) returns: the elements of a slice, by exclusive reference.
#[derive(Debug)]
pub struct ParMut<'s, T> {
    slice: &'s mut [T],
}

/// The remaining elements of a [`ParRef`].
#[derive(Debug)]
pub struct SliceSource<'s, T>(pub(crate) &'s [T]);

/// The remaining elements of a [`ParMut`].
#[derive(Debug)]
pub struct SliceMutSource<'s, T>(pub(crate) &'s mut [T]);

/// Implements the sequence and the source of references `&'s $kind T`. `$take` takes the slice out of the source's field.
macro_rules! slices {
    (
        [$($kind:tt)*] $sequence:ident, $source:ident, $bound:ident, $iter:ident,
        $take:expr, $split_at:ident, $iterate:ident, $as_slice:ident
    ) => {
        impl<'s, T: $bound> Solid for $source<'s, T> {}

        impl<'s, T: $bound> Chunk for $source<'s, T> {
            type Item = &'s $($kind)* T;
            type Iter = slice::$iter<'s, T>;

            #[inline]
            fn len(&self) -> usize {
                self.0.len()
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                let (left, right) = $take(&mut self.0).$split_at(count);
                self.0 = right;
                $source(left)
            }

            #[inline]
            fn look_ahead(&self) -> bool {
                look_ahead(self.0)
            }

            #[inline]
            fn into_iter(self) -> slice::$iter<'s, T> {
                self.0.$iterate()
            }
        }

        impl<'s, T: $bound> Reversible for $source<'s, T> {
            type Back = Rev<slice::$iter<'s, T>>;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.0.$iterate().rev()
            }
        }

        sequence_of_source!(['s, T: $bound] $sequence<'s, T>, &'s $($kind)* T);

        impl<'s, T: $bound> Indexed for $sequence<'s, T> {
            type Source<'a>
                = $source<'s, T>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.slice.len()
            }

            #[inline]
            fn source(&mut self) -> $source<'s, T> {
                $source($take(&mut self.slice))
            }
        }

        impl<'s, T: $bound> IntoPar for &'s $($kind)* [T] {
            type Item = &'s $($kind)* T;
            type Par = $sequence<'s, T>;

            #[inline]
            fn into_par(self) -> $sequence<'s, T> {
                $sequence { slice: self }
            }
        }

        impl<'s, T: $bound> IntoPar for &'s $($kind)* Vec<T> {
            type Item = &'s $($kind)* T;
            type Par = $sequence<'s, T>;

            #[inline]
            fn into_par(self) -> $sequence<'s, T> {
                self.$as_slice().into_par()
            }
        }

        impl<'s, T: $bound, const N: usize> IntoPar for &'s $($kind)* [T; N] {
            type Item = &'s $($kind)* T;
            type Par = $sequence<'s, T>;

            #[inline]
            fn into_par(self) -> $sequence<'s, T> {
                self.$as_slice().into_par()
            }
        }
    };
}
slices!([] ParRef, SliceSource, Sync, Iter, copy, split_at, iter, as_slice);
slices!([mut] ParMut, SliceMutSource, Send, IterMut, take, split_at_mut, iter_mut, as_mut_slice);

/// Prefetches the cache lines `AHEAD` bytes behind the next [`LOOK_EVERY`] elements, if the slice is that long. Does not prefetch
/// large elements, because a loop may read only a part of each element.
///
/// Processors also prefetch memory, but not across the end of a page. For example, the dot products of a sparse matrix of 17 MB take a
/// tenth less time with this function. A prefetch beyond the last element would help only if the program reads the memory behind the slice
/// next. For all other programs, such a prefetch is a mere cost.
#[inline]
fn look_ahead<T>(slice: &[T]) -> bool {
    const AHEAD: usize = 2048;
    const LINE: usize = 64;
    const SMALL: usize = 32;
    let ahead = const { AHEAD..AHEAD + LOOK_EVERY * size_of::<T>() };
    if size_of::<T>() > SMALL || size_of_val(slice) < ahead.end {
        return false;
    }
    for at in ahead.step_by(LINE) {
        prefetch(slice.as_ptr().wrapping_byte_add(at));
    }
    true
}

/// Returns a copy of the element at a place.
#[inline]
fn copy<T: Copy>(place: &mut T) -> T {
    *place
}
