//! Ropes, by value.

use super::{OwnedIter, sequence_of_source};
use crate::par::rope::Rope;
use crate::par::rope::taking::{Front, Taking};
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, IntoPar};
use std::fmt;
use std::iter::{Cloned, FusedIterator, Rev};
use std::mem::take;
use std::slice;

/// The sequence that [`rope.into_par()`](IntoPar::into_par) returns: the items of a rope, by value.
pub struct ParRopeOwned<T> {
    rope: Rope<T>,
    /// Number of items in the sequence. After the source has been taken, this number is 0, and the rope is only dropped.
    len: usize,
}

impl<T> fmt::Debug for ParRopeOwned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParRopeOwned")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// The remaining items of a rope. The chunks do not cross the ends of leaves.
pub struct RopeOwnedSource<'r, T>(Taking<'r, T>);

impl<T> fmt::Debug for RopeOwnedSource<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RopeOwnedSource")
            .field("len", &self.0.len())
            .finish_non_exhaustive()
    }
}

impl<'r, T: Clone + Send + Sync> Source for RopeOwnedSource<'r, T> {
    type Item = T;
    type Chunk = Front<'r, T>;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        at_most.min(self.0.front_len())
    }

    fn reach_back(&self, at_most: usize) -> usize {
        at_most.min(self.0.back_len())
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Front<'r, T> {
        self.0.take_front(count)
    }

    fn split_off(&mut self, at: usize) -> Self {
        RopeOwnedSource(self.0.split_off(at))
    }

    fn split_point(&self) -> Option<usize> {
        self.0.split_point()
    }
}

impl<'r, T: Clone + Send> Chunk for Front<'r, T> {
    type Item = T;
    type Iter = FrontIter<'r, T>;

    #[inline]
    fn len(&self) -> usize {
        Front::len(self)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let rest = self.split_off(count);
        std::mem::replace(self, rest)
    }

    #[inline]
    fn into_iter(self) -> FrontIter<'r, T> {
        match self {
            Front::Moved(items) => FrontIter::Moved(items.into_iter()),
            Front::Cloned(items) => FrontIter::Cloned(items.iter().cloned()),
        }
    }
}

impl<'r, T: Clone + Send> Reversible for Front<'r, T> {
    type Back = Rev<FrontIter<'r, T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.into_iter().rev()
    }
}

/// An iterator over the items of a leaf. The iterator moves or clones the items.
#[derive(Debug)]
pub enum FrontIter<'r, T> {
    Moved(OwnedIter<'r, T>),
    Cloned(Cloned<slice::Iter<'r, T>>),
}

/// Evaluates an expression for the iterator in either variant: the iterator that moves items, or the iterator that clones items.
macro_rules! of_either {
    ($iter:expr, |$items:ident| $do:expr) => {
        match $iter {
            FrontIter::Moved($items) => $do,
            FrontIter::Cloned($items) => $do,
        }
    };
}

impl<T: Clone> Iterator for FrontIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        of_either!(self, |items| items.next())
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        of_either!(self, |items| items.size_hint())
    }

    #[inline]
    fn fold<A, F: FnMut(A, T) -> A>(self, init: A, f: F) -> A {
        of_either!(self, |items| items.fold(init, f))
    }
}

impl<T: Clone> DoubleEndedIterator for FrontIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        of_either!(self, |items| items.next_back())
    }

    #[inline]
    fn rfold<A, F: FnMut(A, T) -> A>(self, init: A, f: F) -> A {
        of_either!(self, |items| items.rfold(init, f))
    }
}

impl<T: Clone> ExactSizeIterator for FrontIter<'_, T> {}
impl<T: Clone> FusedIterator for FrontIter<'_, T> {}

sequence_of_source!([T: Clone + Send + Sync] ParRopeOwned<T>, T);

impl<T: Clone + Send + Sync> Indexed for ParRopeOwned<T> {
    type Source<'a>
        = RopeOwnedSource<'a, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn source(&mut self) -> RopeOwnedSource<'_, T> {
        RopeOwnedSource(match take(&mut self.len) {
            0 => Taking::empty(),
            _ => Taking::new(&mut self.rope),
        })
    }
}

/// Moves items out of arrays that no other rope shares, and clones the items of shared arrays, like the
/// [iterator](super::super::RopeIntoIter).
///
/// ```
/// use heist::par::{Rope, prelude::*};
/// let words: Rope<String> = ["lazy", "tree"].par().map(|word| word.to_string()).collect();
/// let words: Vec<String> = words.into_par().map(|word| word + "s").collect();
/// assert_eq!(words, ["lazys", "trees"]);
/// ```
impl<T: Clone + Send + Sync> IntoPar for Rope<T> {
    type Item = T;
    type Par = ParRopeOwned<T>;

    #[inline]
    fn into_par(self) -> ParRopeOwned<T> {
        ParRopeOwned {
            len: self.len(),
            rope: self,
        }
    }
}
