//! Vectors by value.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use std::iter::{FusedIterator, Rev};
use std::mem::{MaybeUninit, forget, take};
use std::slice;

/// The sequence that [`xs.into_par()`](IntoPar::into_par) returns: the elements of a vector, by value.
#[derive(Debug)]
pub struct ParVec<T> {
    elements: Vec<T>,
}

/// The remaining elements of a vector, which this source must move out or drop.
#[derive(Debug)]
pub struct OwnedSource<'v, T> {
    // Invariant: all these elements are initialised, and no other code reads or drops them.
    elements: &'v mut [MaybeUninit<T>],
}

impl<'v, T> OwnedSource<'v, T> {
    /// Takes all elements out of a vector, which becomes empty and keeps its capacity.
    pub(super) fn emptying(vec: &'v mut Vec<T>) -> Self {
        let len = vec.len();
        OwnedSource::of_last(vec, len)
    }

    /// Takes the last `count` elements out of a vector, which keeps its capacity.
    ///
    /// # Panics
    /// Panics if the vector has fewer than `count` elements.
    pub(crate) fn of_last(vec: &'v mut Vec<T>, count: usize) -> Self {
        let kept = vec.len().checked_sub(count);
        let kept = kept.expect("heist: so many elements");
        // SAFETY: `kept` is at most the length, so the kept elements are initialised. The `count` elements behind them are
        // initialised, too. From this line on the vector does not own them, so only this source accesses them.
        unsafe { vec.set_len(kept) };
        OwnedSource {
            elements: &mut vec.spare_capacity_mut()[..count],
        }
    }

    /// Returns the number of elements left.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Divides the source into the first `at` elements and all further elements.
    #[inline]
    pub(crate) fn divide(&mut self, at: usize) -> (Self, Self) {
        let (left, right) = take(&mut self.elements).split_at_mut(at);
        (
            OwnedSource { elements: left },
            OwnedSource { elements: right },
        )
    }
}

impl<T> Drop for OwnedSource<'_, T> {
    fn drop(&mut self) {
        let elements = take(&mut self.elements);
        // SAFETY: by the invariant the elements are initialised, and no other code reads or drops them.
        unsafe { elements.assume_init_drop_polyfill() }
    }
}

/// Methods of slices of `MaybeUninit`. The standard library of the oldest compiler that Heist supports lacks these methods.
trait AssumeInit {
    /// Drops all elements.
    ///
    /// # Safety
    /// The caller must ensure that the elements are initialised and that no code uses them afterwards.
    unsafe fn assume_init_drop_polyfill(&mut self);
}

impl<T> AssumeInit for [MaybeUninit<T>] {
    unsafe fn assume_init_drop_polyfill(&mut self) {
        let elements: *mut [T] = std::ptr::from_mut(self) as *mut [T];
        // SAFETY: by this function's contract the elements are initialised and not used afterwards. A `MaybeUninit<T>` has the
        // layout of a `T`.
        unsafe { std::ptr::drop_in_place(elements) }
    }
}

impl<'v, T: Send> Solid for OwnedSource<'v, T> {}

impl<'v, T: Send> Chunk for OwnedSource<'v, T> {
    type Item = T;
    type Iter = OwnedIter<'v, T>;

    #[inline]
    fn len(&self) -> usize {
        self.elements.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let (left, right) = self.divide(count);
        *self = right;
        left
    }

    #[inline]
    fn into_iter(mut self) -> OwnedIter<'v, T> {
        let elements = take(&mut self.elements).iter_mut();
        forget(self);
        OwnedIter { elements }
    }
}

impl<'v, T: Send> Reversible for OwnedSource<'v, T> {
    type Back = Rev<OwnedIter<'v, T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.into_iter().rev()
    }
}

/// An iterator that moves elements out of the memory of a vector.
#[derive(Debug)]
pub struct OwnedIter<'v, T> {
    // Invariant: the elements that the iterator has not passed are initialised, and no other code reads or drops them.
    elements: slice::IterMut<'v, MaybeUninit<T>>,
}

impl<T> Iterator for OwnedIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let element = self.elements.next()?;
        // SAFETY: by the invariant the element is initialised. The iterator has just passed it, so no code reads it again.
        Some(unsafe { element.assume_init_read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<T> DoubleEndedIterator for OwnedIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let element = self.elements.next_back()?;
        // SAFETY: by the invariant the element is initialised. The iterator has just passed it, so no code reads it again.
        Some(unsafe { element.assume_init_read() })
    }
}

impl<T> ExactSizeIterator for OwnedIter<'_, T> {}
impl<T> FusedIterator for OwnedIter<'_, T> {}

impl<T> Drop for OwnedIter<'_, T> {
    fn drop(&mut self) {
        let elements = take(&mut self.elements).into_slice();
        // SAFETY: by the invariant the elements are initialised, and no other code reads or drops them.
        unsafe { elements.assume_init_drop_polyfill() }
    }
}

sequence_of_source!([T: Send] ParVec<T>, T);

impl<T: Send> Indexed for ParVec<T> {
    type Source<'a>
        = OwnedSource<'a, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.elements.len()
    }

    #[inline]
    fn source(&mut self) -> OwnedSource<'_, T> {
        OwnedSource::emptying(&mut self.elements)
    }
}

impl<T: Send> IntoPar for Vec<T> {
    type Item = T;
    type Par = ParVec<T>;

    #[inline]
    fn into_par(self) -> ParVec<T> {
        ParVec { elements: self }
    }
}

impl<T: Send, const N: usize> IntoPar for [T; N] {
    type Item = T;
    type Par = ParVec<T>;

    fn into_par(self) -> ParVec<T> {
        Vec::from(self).into_par()
    }
}
