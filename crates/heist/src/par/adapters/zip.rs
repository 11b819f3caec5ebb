//! Combines two sequences into a sequence of pairs.

use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;
use std::iter;

/// The sequence that [`Indexed::zip`] returns. `a.zip(b).map(f)` is the `map2` of Rainey's thesis. Two ropes of different shapes advance
/// together: a chunk ends where either rope reaches the end of a leaf (Rainey's thesis, section 4.1.2).
#[derive(Clone, Debug)]
pub struct Zip<A, B> {
    a: A,
    b: B,
}

impl<A, B> Zip<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Zip { a, b }
    }
}

sequence_of_source!([A: Indexed, B: Indexed] Zip<A, B>, (A::Item, B::Item), A::Policy, |this| this.a.policy());

impl<A: Indexed, B: Indexed> Indexed for Zip<A, B> {
    type Source<'a>
        = Zipped<A::Source<'a>, B::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        let len = self.len();
        let (mut a, mut b) = (self.a.source(), self.b.source());
        // Items beyond the end of the shorter side are dropped before the run, because no chunk contains them.
        drop((a.len() > len).then(|| a.split_off(len)));
        drop((b.len() > len).then(|| b.split_off(len)));
        Zipped { a, b }
    }
}

/// The remaining items of two sequences of equal length, or two chunks of equal length.
#[derive(Debug)]
pub struct Zipped<A, B> {
    a: A,
    b: B,
}

impl<A: Source, B: Source> Source for Zipped<A, B> {
    type Item = (A::Item, B::Item);
    type Chunk = Zipped<A::Chunk, B::Chunk>;

    #[inline]
    fn len(&self) -> usize {
        self.a.len()
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        self.b.reach(self.a.reach(at_most))
    }

    #[inline]
    fn reach_back(&self, at_most: usize) -> usize {
        self.b.reach_back(self.a.reach_back(at_most))
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        Zipped {
            a: self.a.take_front(count),
            b: self.b.take_front(count),
        }
    }

    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        Zipped {
            a: self.a.take_back(count),
            b: self.b.take_back(count),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        Zipped {
            a: self.a.split_off(at),
            b: self.b.split_off(at),
        }
    }

    fn split_point(&self) -> Option<usize> {
        self.a.split_point()
    }
}

impl<A: Chunk, B: Chunk> Chunk for Zipped<A, B> {
    type Item = (A::Item, B::Item);
    type Iter = iter::Zip<A::Iter, B::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.a.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        Zipped {
            a: self.a.cut(count),
            b: self.b.cut(count),
        }
    }

    #[inline]
    fn look_ahead(&self) -> bool {
        self.a.look_ahead() | self.b.look_ahead()
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.a.into_iter().zip(self.b.into_iter())
    }
}

impl<A: Reversible, B: Reversible> Reversible for Zipped<A, B> {
    type Back = iter::Zip<A::Back, B::Back>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.a.into_back().zip(self.b.into_back())
    }
}
