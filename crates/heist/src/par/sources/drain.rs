//! Moves a range of elements out of a vector.

use super::owned::OwnedSource;
use super::sequence_of_source;
use crate::par::Indexed;
use crate::par::bounds::resolve;
use std::mem::take;
use std::ops::{Range, RangeBounds};

/// The sequence that [`xs.par_drain(range)`](crate::par::ParDrainRange::par_drain) returns: the elements that it moves out of a vector.
#[derive(Debug)]
pub struct ParDrain<'v, T> {
    // Invariant: the vector has the elements before the range, and the `left` elements of the range. `left` is `gap` at first, and
    // 0 when the elements have been passed on. Behind the end of the range are `behind` more initialised elements, which belong to
    // this value.
    //
    // So if this value is forgotten, the elements behind the range are lost, and the vector stays valid.
    vec: &'v mut Vec<T>,
    left: usize,
    gap: usize,
    behind: usize,
}

impl<'v, T> ParDrain<'v, T> {
    pub(crate) fn new(vec: &'v mut Vec<T>, range: impl RangeBounds<usize>) -> Self {
        let len = vec.len();
        let Range { start, end } = resolve(&range, len, "a vector");
        // SAFETY: `end` is at most the length, so all elements before it are initialised. From this line on the vector does not own
        // the elements behind `end`, so only this value accesses them.
        unsafe { vec.set_len(end) };
        ParDrain {
            vec,
            left: end - start,
            gap: end - start,
            behind: len - end,
        }
    }

    /// Passes the remaining elements of the range to a source.
    fn elements(&mut self) -> OwnedSource<'_, T> {
        let left = take(&mut self.left);
        OwnedSource::of_last(self.vec, left)
    }
}

impl<T> Drop for ParDrain<'_, T> {
    fn drop(&mut self) {
        /// A guard whose drop moves the elements behind the range into the gap, even if the destructor of an element panics.
        struct Close<'d, 'v, T>(&'d mut ParDrain<'v, T>);
        impl<T> Drop for Close<'_, '_, T> {
            fn drop(&mut self) {
                let ParDrain {
                    vec, gap, behind, ..
                } = &mut *self.0;
                let len = vec.len();
                let start = vec.spare_capacity_mut().as_mut_ptr();
                // SAFETY: no element of the range is left, so the vector ends where the range began. Both places are within the
                // vector's capacity, and by the invariant `behind` initialised elements are behind the gap. From this line on the
                // vector owns them at their new place.
                unsafe {
                    start.add(*gap).copy_to(start, *behind);
                    vec.set_len(len + *behind);
                }
            }
        }
        let close = Close(self);
        drop(close.0.elements());
    }
}

sequence_of_source!([T: Send] ParDrain<'_, T>, T);

impl<T: Send> Indexed for ParDrain<'_, T> {
    type Source<'a>
        = OwnedSource<'a, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.left
    }

    #[inline]
    fn source(&mut self) -> OwnedSource<'_, T> {
        self.elements()
    }
}
