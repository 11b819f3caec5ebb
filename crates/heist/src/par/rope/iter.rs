//! Iterators that borrow a rope.

use super::Rope;
use super::pending::Pending;
use super::tree::End;
use std::fmt;
use std::iter::FusedIterator;
use std::slice;

/// An iterator over the leaves of a [`Rope`], as nonempty slices. [`Rope::leaves`] returns this iterator.
pub struct RopeLeaves<'a, T> {
    first: Pending<'a, T>,
    last: Pending<'a, T>,
    /// Number of remaining items. The iterator has ended, from both ends, when this number is 0.
    len: usize,
}

impl<'a, T> RopeLeaves<'a, T> {
    pub(super) fn new(rope: &'a Rope<T>) -> Self {
        let mut first = Pending::new();
        if let Some(root) = &rope.root {
            first.push(root);
        }
        RopeLeaves {
            last: first.clone(),
            first,
            len: rope.len(),
        }
    }

    #[inline]
    fn take(&mut self, end: End) -> Option<&'a [T]> {
        if self.len == 0 {
            return None;
        }
        let pending = match end {
            End::First => &mut self.first,
            End::Last => &mut self.last,
        };
        let tree = pending.pop()?;
        let leaf = pending.descend(tree, end).items();
        pending.look_ahead(end);
        self.len -= leaf.len();
        Some(leaf)
    }
}

impl<'a, T> Iterator for RopeLeaves<'a, T> {
    type Item = &'a [T];

    #[inline]
    fn next(&mut self) -> Option<&'a [T]> {
        self.take(End::First)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len.min(1), Some(self.len))
    }
}

impl<'a, T> DoubleEndedIterator for RopeLeaves<'a, T> {
    #[inline]
    fn next_back(&mut self) -> Option<&'a [T]> {
        self.take(End::Last)
    }
}

impl<T> FusedIterator for RopeLeaves<'_, T> {}

impl<T> Clone for RopeLeaves<'_, T> {
    fn clone(&self) -> Self {
        RopeLeaves {
            first: self.first.clone(),
            last: self.last.clone(),
            len: self.len,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for RopeLeaves<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An iterator over the items of a [`Rope`], in order. [`Rope::iter`] returns this iterator.
pub struct RopeIter<'a, T> {
    first: slice::Iter<'a, T>,
    between: RopeLeaves<'a, T>,
    last: slice::Iter<'a, T>,
}

impl<'a, T> RopeIter<'a, T> {
    pub(super) fn new(rope: &'a Rope<T>) -> Self {
        RopeIter {
            first: [].iter(),
            between: rope.leaves(),
            last: [].iter(),
        }
    }

    fn next_leaf(&mut self) -> Option<&'a T> {
        match self.between.next() {
            Some(leaf) => {
                self.first = leaf.iter();
                self.first.next()
            }
            None => self.last.next(),
        }
    }

    fn next_leaf_back(&mut self) -> Option<&'a T> {
        match self.between.next_back() {
            Some(leaf) => {
                self.last = leaf.iter();
                self.last.next_back()
            }
            None => self.first.next_back(),
        }
    }
}

impl<'a, T> Iterator for RopeIter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        match self.first.next() {
            Some(item) => Some(item),
            None => self.next_leaf(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.first.len() + self.between.len + self.last.len();
        (len, Some(len))
    }

    #[inline]
    fn fold<A, F: FnMut(A, &'a T) -> A>(self, init: A, mut f: F) -> A {
        let mut sum = self.first.fold(init, &mut f);
        for leaf in self.between {
            sum = leaf.iter().fold(sum, &mut f);
        }
        self.last.fold(sum, f)
    }
}

impl<'a, T> DoubleEndedIterator for RopeIter<'a, T> {
    #[inline]
    fn next_back(&mut self) -> Option<&'a T> {
        match self.last.next_back() {
            Some(item) => Some(item),
            None => self.next_leaf_back(),
        }
    }

    #[inline]
    fn rfold<A, F: FnMut(A, &'a T) -> A>(self, init: A, mut f: F) -> A {
        let mut sum = self.last.rfold(init, &mut f);
        for leaf in self.between.rev() {
            sum = leaf.iter().rfold(sum, &mut f);
        }
        self.first.rfold(sum, f)
    }
}

impl<T> ExactSizeIterator for RopeIter<'_, T> {}
impl<T> FusedIterator for RopeIter<'_, T> {}

impl<T> Clone for RopeIter<'_, T> {
    fn clone(&self) -> Self {
        RopeIter {
            first: self.first.clone(),
            between: self.between.clone(),
            last: self.last.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for RopeIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
