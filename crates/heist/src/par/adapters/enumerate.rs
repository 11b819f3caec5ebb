//! An adapter that numbers the items.

use super::by_source;
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;
use std::iter;
use std::ops::Range;

/// The sequence that [`Indexed::enumerate`] returns.
#[derive(Clone, Debug)]
pub struct Enumerate<P> {
    base: P,
}

impl<P> Enumerate<P> {
    pub(crate) fn new(base: P) -> Self {
        Enumerate { base }
    }
}

sequence_of_source!([P: Indexed] Enumerate<P>, (usize, P::Item), P::Policy, |this| this.base.policy());

impl<P: Indexed> Indexed for Enumerate<P> {
    type Source<'a>
        = Enumerated<P::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        Enumerated {
            items: self.base.source(),
            next: 0,
        }
    }
}

/// The remaining items of a sequence, or a chunk of the sequence, with the index of the next item.
#[derive(Debug)]
pub struct Enumerated<S> {
    items: S,
    next: usize,
}

impl<S: Source> Source for Enumerated<S> {
    type Item = (usize, S::Item);
    type Chunk = Enumerated<S::Chunk>;

    by_source!(items);

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let next = self.next;
        self.next += count;
        Enumerated {
            items: self.items.take_front(count),
            next,
        }
    }

    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        Enumerated {
            next: self.next + self.items.len() - count,
            items: self.items.take_back(count),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        Enumerated {
            items: self.items.split_off(at),
            next: self.next + at,
        }
    }
}

impl<C: Chunk> Chunk for Enumerated<C> {
    type Item = (usize, C::Item);
    type Iter = iter::Zip<Range<usize>, C::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.items.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let next = self.next;
        self.next += count;
        Enumerated {
            items: self.items.cut(count),
            next,
        }
    }

    #[inline]
    fn look_ahead(&self) -> bool {
        self.items.look_ahead()
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        (self.next..self.next + self.items.len()).zip(self.items.into_iter())
    }
}

impl<C: Reversible> Reversible for Enumerated<C> {
    type Back = iter::Zip<iter::Rev<Range<usize>>, C::Back>;

    #[inline]
    fn into_back(self) -> Self::Back {
        let indices = self.next..self.next + self.items.len();
        indices.rev().zip(self.items.into_back())
    }
}
