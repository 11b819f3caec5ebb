//! An adapter that reverses a sequence.

use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;
use std::mem::replace;

/// The sequence that [`Indexed::rev`] returns.
#[derive(Clone, Debug)]
pub struct Rev<P> {
    base: P,
}

impl<P> Rev<P> {
    pub(crate) fn new(base: P) -> Self {
        Rev { base }
    }
}

sequence_of_source!([P: Indexed] Rev<P>, P::Item, P::Policy, |this| this.base.policy());

impl<P: Indexed> Indexed for Rev<P> {
    type Source<'a>
        = Reversed<P::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        Reversed(self.base.source())
    }
}

/// The remaining items of a sequence, or a chunk of the sequence, in reverse order.
#[derive(Debug)]
pub struct Reversed<S>(S);

impl<S: Source<Chunk: Reversible>> Source for Reversed<S> {
    type Item = S::Item;
    type Chunk = Reversed<S::Chunk>;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        self.0.reach_back(at_most)
    }

    #[inline]
    fn reach_back(&self, at_most: usize) -> usize {
        self.0.reach(at_most)
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        Reversed(self.0.take_back(count))
    }

    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        Reversed(self.0.take_front(count))
    }

    #[inline]
    fn split_off(&mut self, at: usize) -> Self {
        let back = self.0.split_off(self.0.len() - at);
        Reversed(replace(&mut self.0, back))
    }

    fn split_point(&self) -> Option<usize> {
        self.0.split_point().map(|at| self.0.len() - at)
    }
}

impl<C: Reversible> Chunk for Reversed<C> {
    type Item = C::Item;
    type Iter = C::Back;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let front = self.0.cut(self.0.len() - count);
        Reversed(replace(&mut self.0, front))
    }

    #[inline]
    fn into_iter(self) -> C::Back {
        self.0.into_back()
    }
}

impl<C: Reversible> Reversible for Reversed<C> {
    type Back = C::Iter;

    #[inline]
    fn into_back(self) -> C::Iter {
        self.0.into_iter()
    }
}
