//! One sequence after another.

use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;
use std::iter;

/// [`Indexed::chain`].
#[derive(Clone, Debug)]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

sequence_of_source!(
    [A: Indexed, B: Indexed<Item = A::Item>] Chain<A, B>, A::Item, A::Policy, |this| this.a.policy()
);

impl<A: Indexed, B: Indexed<Item = A::Item>> Indexed for Chain<A, B> {
    type Source<'a>
        = Chained<A::Source<'a>, B::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.a
            .len()
            .checked_add(self.b.len())
            .expect("heist: a sequence must not be longer than usize::MAX")
    }

    #[inline]
    fn lies_together(&self) -> bool {
        false
    }

    fn source(&mut self) -> Self::Source<'_> {
        // Not too long for one number.
        let _ = self.len();
        Chained {
            a: Some(self.a.source()),
            b: Some(self.b.source()),
        }
    }
}

/// What is left of one sequence and of one after it, or a chunk of the two; `None` is nothing.
#[derive(Debug)]
pub struct Chained<A, B> {
    a: Option<A>,
    b: Option<B>,
}

impl<A: Source, B: Source<Item = A::Item>> Chained<A, B> {
    fn a_len(&self) -> usize {
        self.a.as_ref().map_or(0, Source::len)
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for Chained<A, B> {
    type Item = A::Item;
    type Chunk = Chained<A::Chunk, B::Chunk>;

    fn len(&self) -> usize {
        self.a_len() + self.b.as_ref().map_or(0, Source::len)
    }

    fn reach(&self, at_most: usize) -> usize {
        match (&self.a, &self.b) {
            (Some(a), _) if a.len() > 0 => a.reach(at_most),
            (_, Some(b)) => b.reach(at_most),
            _ => 0,
        }
    }

    fn reach_back(&self, at_most: usize) -> usize {
        match (&self.a, &self.b) {
            (_, Some(b)) if b.len() > 0 => b.reach_back(at_most),
            (Some(a), _) => a.reach_back(at_most),
            _ => 0,
        }
    }

    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let from_a = self.a_len() > 0;
        let take_a = self.a.as_mut().filter(|_| from_a);
        let take_b = self.b.as_mut().filter(|_| !from_a);
        Chained {
            a: take_a.map(|a| a.take_front(count)),
            b: take_b.map(|b| b.take_front(count)),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let a_len = self.a_len();
        if at < a_len {
            return Chained {
                a: self.a.as_mut().map(|a| a.split_off(at)),
                b: self.b.take(),
            };
        }
        Chained {
            a: None,
            b: self.b.as_mut().map(|b| b.split_off(at - a_len)),
        }
    }

    fn cleft(&self) -> Option<usize> {
        let (a, b) = (self.a_len(), self.b.as_ref().map_or(0, Source::len));
        match (a, b) {
            (0, _) => self.b.as_ref()?.cleft(),
            (_, 0) => self.a.as_ref()?.cleft(),
            _ => Some(a),
        }
    }
}

impl<A: Chunk, B: Chunk<Item = A::Item>> Chunk for Chained<A, B> {
    type Item = A::Item;
    type Iter = iter::Chain<
        iter::Flatten<std::option::IntoIter<A::Iter>>,
        iter::Flatten<std::option::IntoIter<B::Iter>>,
    >;

    fn len(&self) -> usize {
        self.a.as_ref().map_or(0, Chunk::len) + self.b.as_ref().map_or(0, Chunk::len)
    }

    fn cut(&mut self, count: usize) -> Self {
        // A chunk is of one of them.
        Chained {
            a: self.a.as_mut().map(|a| a.cut(count)),
            b: self.b.as_mut().map(|b| b.cut(count)),
        }
    }

    fn into_iter(self) -> Self::Iter {
        let a = self.a.map(Chunk::into_iter).into_iter().flatten();
        a.chain(self.b.map(Chunk::into_iter).into_iter().flatten())
    }
}

impl<A: Reversible, B: Reversible<Item = A::Item>> Reversible for Chained<A, B> {
    type Back = iter::Chain<
        iter::Flatten<std::option::IntoIter<B::Back>>,
        iter::Flatten<std::option::IntoIter<A::Back>>,
    >;

    fn into_back(self) -> Self::Back {
        let b = self.b.map(Reversible::into_back).into_iter().flatten();
        b.chain(self.a.map(Reversible::into_back).into_iter().flatten())
    }
}
