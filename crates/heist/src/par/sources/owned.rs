//! Vectors by value.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use std::iter::{FusedIterator, Rev};
use std::mem::{MaybeUninit, forget, take};
use std::slice;

/// The elements of a vector, by value: [`xs.into_par()`](IntoPar::into_par).
#[derive(Debug)]
pub struct ParVec<T> {
    elements: Vec<T>,
}

/// The rest of a vector: elements that this source must move out or drop.
#[derive(Debug)]
pub struct OwnedSource<'v, T> {
    // Invariant: all these elements are initialised, and no other code reads or drops them.
    elements: &'v mut [MaybeUninit<T>],
}

impl<'v, T> OwnedSource<'v, T> {
    /// Takes over all elements. The vector is empty then, and keeps its capacity.
    pub(super) fn emptying(vec: &'v mut Vec<T>) -> Self {
        let len = vec.len();
        OwnedSource::of_last(vec, len)
    }

    /// Takes over the last `count` elements. The vector keeps the others and its capacity.
    ///
    /// # Panics
    /// Panics if the vector has fewer elements.
    pub(crate) fn of_last(vec: &'v mut Vec<T>, count: usize) -> Self {
        let kept = vec.len().checked_sub(count);
        let kept = kept.expect("heist: so many elements");
        // SAFETY: `kept` is at most the length, so the kept elements are initialised. So are the `count` elements behind them,
        // which the vector does not own any more.
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

    /// Keeps the first `at` elements, and returns the rest.
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
        // SAFETY: by the invariant the elements are initialised, and no other code uses them.
        unsafe { elements.assume_init_drop_polyfill() }
    }
}

/// Methods of slices of `MaybeUninit` that the oldest supported compiler does not have.
trait AssumeInit {
    /// Drops all elements.
    ///
    /// # Safety
    /// The elements are initialised, and no code uses them afterwards.
    unsafe fn assume_init_drop_polyfill(&mut self);
}

impl<T> AssumeInit for [MaybeUninit<T>] {
    unsafe fn assume_init_drop_polyfill(&mut self) {
        let elements: *mut [T] = std::ptr::from_mut(self) as *mut [T];
        // SAFETY: the elements are initialised by this function's contract; a `MaybeUninit<T>` has the layout of a `T`.
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

/// Moves elements out.
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
        // SAFETY: by the invariant the element is initialised; the iterator has passed it, so it is read once.
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
        // SAFETY: by the invariant the element is initialised; the iterator has passed it, so it is read once.
        Some(unsafe { element.assume_init_read() })
    }
}

impl<T> ExactSizeIterator for OwnedIter<'_, T> {}
impl<T> FusedIterator for OwnedIter<'_, T> {}

impl<T> Drop for OwnedIter<'_, T> {
    fn drop(&mut self) {
        let elements = take(&mut self.elements).into_slice();
        // SAFETY: by the invariant the elements are initialised, and no other code uses them.
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
