//! Slices, by reference.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, IntoPar};
use std::iter::Rev;
use std::slice;

/// The elements of a slice, by reference: [`xs.par()`](crate::par::ToPar::par).
#[derive(Debug)]
pub struct ParRef<'s, T> {
    slice: &'s [T],
}

impl<T> Clone for ParRef<'_, T> {
    fn clone(&self) -> Self {
        ParRef { slice: self.slice }
    }
}

/// What is left of one.
#[derive(Debug)]
pub struct SliceSource<'s, T>(pub(crate) &'s [T]);

impl<'s, T: Sync> Source for SliceSource<'s, T> {
    type Item = &'s T;
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
        let (left, right) = self.0.split_at(at);
        self.0 = left;
        SliceSource(right)
    }
}

impl<'s, T: Sync> Chunk for SliceSource<'s, T> {
    type Item = &'s T;
    type Iter = slice::Iter<'s, T>;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let (left, right) = self.0.split_at(count);
        self.0 = right;
        SliceSource(left)
    }

    #[inline]
    fn into_iter(self) -> slice::Iter<'s, T> {
        self.0.iter()
    }
}

impl<'s, T: Sync> Reversible for SliceSource<'s, T> {
    type Back = Rev<slice::Iter<'s, T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.0.iter().rev()
    }
}

sequence_of_source!(['s, T: Sync] ParRef<'s, T>, &'s T);

impl<'s, T: Sync> Indexed for ParRef<'s, T> {
    type Source<'a>
        = SliceSource<'s, T>
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
    fn source(&mut self) -> SliceSource<'s, T> {
        SliceSource(self.slice)
    }
}

impl<'s, T: Sync> IntoPar for &'s [T] {
    type Item = &'s T;
    type Par = ParRef<'s, T>;

    #[inline]
    fn into_par(self) -> ParRef<'s, T> {
        ParRef { slice: self }
    }
}

impl<'s, T: Sync> IntoPar for &'s Vec<T> {
    type Item = &'s T;
    type Par = ParRef<'s, T>;

    #[inline]
    fn into_par(self) -> ParRef<'s, T> {
        self.as_slice().into_par()
    }
}

impl<'s, T: Sync, const N: usize> IntoPar for &'s [T; N] {
    type Item = &'s T;
    type Par = ParRef<'s, T>;

    #[inline]
    fn into_par(self) -> ParRef<'s, T> {
        self.as_slice().into_par()
    }
}
