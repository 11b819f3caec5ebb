//! Slices, by exclusive reference.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, IntoPar};
use std::iter::Rev;
use std::mem::take;
use std::slice;

/// The elements of a slice, by exclusive reference: [`xs.par_mut()`](crate::par::ToParMut::par_mut).
#[derive(Debug)]
pub struct ParMut<'s, T> {
    slice: &'s mut [T],
}

/// What is left of one.
#[derive(Debug)]
pub struct SliceMutSource<'s, T>(pub(crate) &'s mut [T]);

impl<'s, T: Send> Source for SliceMutSource<'s, T> {
    type Item = &'s mut T;
    type Chunk = Self;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self {
        self.cut(count)
    }

    #[inline]
    fn split_off(&mut self, at: usize) -> Self {
        let (left, right) = take(&mut self.0).split_at_mut(at);
        self.0 = left;
        SliceMutSource(right)
    }
}

impl<'s, T: Send> Chunk for SliceMutSource<'s, T> {
    type Item = &'s mut T;
    type Iter = slice::IterMut<'s, T>;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let (left, right) = take(&mut self.0).split_at_mut(count);
        self.0 = right;
        SliceMutSource(left)
    }

    #[inline]
    fn into_iter(self) -> slice::IterMut<'s, T> {
        self.0.iter_mut()
    }
}

impl<'s, T: Send> Reversible for SliceMutSource<'s, T> {
    type Back = Rev<slice::IterMut<'s, T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.0.iter_mut().rev()
    }
}

sequence_of_source!(['s, T: Send] ParMut<'s, T>, &'s mut T);

impl<'s, T: Send> Indexed for ParMut<'s, T> {
    type Source<'a>
        = SliceMutSource<'s, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.slice.len()
    }

    #[inline]
    fn lies_together(&self) -> bool {
        true
    }

    #[inline]
    fn source(&mut self) -> SliceMutSource<'s, T> {
        SliceMutSource(take(&mut self.slice))
    }
}

impl<'s, T: Send> IntoPar for &'s mut [T] {
    type Item = &'s mut T;
    type Par = ParMut<'s, T>;

    #[inline]
    fn into_par(self) -> ParMut<'s, T> {
        ParMut { slice: self }
    }
}

impl<'s, T: Send> IntoPar for &'s mut Vec<T> {
    type Item = &'s mut T;
    type Par = ParMut<'s, T>;

    #[inline]
    fn into_par(self) -> ParMut<'s, T> {
        self.as_mut_slice().into_par()
    }
}

impl<'s, T: Send, const N: usize> IntoPar for &'s mut [T; N] {
    type Item = &'s mut T;
    type Par = ParMut<'s, T>;

    #[inline]
    fn into_par(self) -> ParMut<'s, T> {
        self.as_mut_slice().into_par()
    }
}
