//! An adapter that inserts an item between each pair of neighbours.

use super::interleave::Interleaved;
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::sources::sequence_of_source;
use std::iter::{Cloned, RepeatN, repeat_n};

/// The sequence that [`Indexed::intersperse`] returns.
#[derive(Clone, Debug)]
pub struct Intersperse<P: Indexed> {
    base: P,
    item: P::Item,
}

impl<P: Indexed> Intersperse<P> {
    pub(crate) fn new(base: P, item: P::Item) -> Self {
        Intersperse { base, item }
    }
}

sequence_of_source!(
    [P: Indexed<Item: Clone + Sync>] Intersperse<P>, P::Item, P::Policy, |this| this.base.policy()
);

impl<P: Indexed<Item: Clone + Sync>> Indexed for Intersperse<P> {
    type Source<'a>
        = Interleaved<P::Source<'a>, Copies<'a, P::Item>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        let len = self.base.len();
        len.checked_add(len.saturating_sub(1))
            .expect("heist: a sequence must not be longer than usize::MAX")
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        // The call panics if the length overflows.
        let _ = self.len();
        let between = Copies {
            item: &self.item,
            count: self.base.len().saturating_sub(1),
        };
        Interleaved::new(self.base.source(), between)
    }
}

/// The remaining clones of the inserted item, or a chunk of these clones.
#[derive(Debug)]
pub struct Copies<'a, T> {
    item: &'a T,
    count: usize,
}

impl<T: Clone + Sync> Solid for Copies<'_, T> {}

impl<'a, T: Clone> Chunk for Copies<'a, T> {
    type Item = T;
    type Iter = Cloned<RepeatN<&'a T>>;

    #[inline]
    fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        self.count -= count;
        Copies { count, ..*self }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        repeat_n(self.item, self.count).cloned()
    }
}

impl<T: Clone> Reversible for Copies<'_, T> {
    type Back = Self::Iter;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.into_iter()
    }
}
