//! An adapter that makes one item from several neighbours.

use super::Blocks;
use super::make::{Clones, Make};
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Solid, Source};
use crate::par::sources::sequence_of_source;
use std::iter::Rev;

/// A sequence with one item for each group of neighbours. This sequence is the result of [`Indexed::chunks`] and of its folding
/// variants.
#[derive(Clone, Debug)]
pub struct InChunks<P, M> {
    base: P,
    size: usize,
    merge: M,
}

/// The sequence that [`Indexed::chunks`] returns.
pub type Chunks<P> = InChunks<P, ToVec>;
/// The sequence that [`Indexed::fold_chunks`] returns.
pub type FoldChunks<P, I, F> = InChunks<P, ByFold<I, F>>;
/// The sequence that [`Indexed::fold_chunks_with`] returns.
pub type FoldChunksWith<P, W, F> = InChunks<P, ByFold<Clones<W>, F>>;

impl<P, M> InChunks<P, M> {
    pub(crate) fn new(base: P, size: usize, merge: M) -> Self {
        assert!(size > 0, "heist: chunks must not be empty");
        InChunks { base, size, merge }
    }
}

/// A function that makes one item from several neighbours.
pub trait Merge<T>: Send + Sync {
    /// The type of the item that is made from the neighbours.
    type Output: Send;

    /// Makes the item from `items`.
    fn of<S: Source<Item = T>>(&self, items: S) -> Self::Output;
}

/// A [`Merge`] that collects the neighbours into a vector.
#[derive(Clone, Copy, Debug)]
pub struct ToVec;

impl<T: Send> Merge<T> for ToVec {
    type Output = Vec<T>;

    fn of<S: Source<Item = T>>(&self, mut items: S) -> Vec<T> {
        let mut all = Vec::with_capacity(items.len());
        while let Some(piece) = next(&mut items) {
            all.extend(piece.into_iter());
        }
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(items);
        all
    }
}

/// A [`Merge`] that folds the neighbours.
#[derive(Clone, Debug)]
pub struct ByFold<I, F> {
    init: I,
    fold: F,
}

impl<I, F> ByFold<I, F> {
    pub(crate) fn new(init: I, fold: F) -> Self {
        ByFold { init, fold }
    }
}

impl<T, I, F> Merge<T> for ByFold<I, F>
where
    I: Make<With: Send>,
    F: Fn(I::With, T) -> I::With + Send + Sync,
{
    type Output = I::With;

    fn of<S: Source<Item = T>>(&self, mut items: S) -> I::With {
        let mut all = self.init.make();
        while let Some(piece) = next(&mut items) {
            all = piece.into_iter().fold(all, &self.fold);
        }
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(items);
        all
    }
}

/// Takes the next contiguous items, or returns `None` if no items are left.
fn next<S: Source>(items: &mut S) -> Option<S::Chunk> {
    (items.len() > 0).then(|| items.take_front(items.reach(usize::MAX)))
}

sequence_of_source!(
    [P: Indexed, M: Merge<P::Item>] InChunks<P, M>, M::Output, P::Policy, |this| this.base.policy()
);

impl<P: Indexed, M: Merge<P::Item>> Indexed for InChunks<P, M> {
    type Source<'a>
        = Merged<'a, P::Source<'a>, M>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        Merged {
            blocks: Blocks::new(self.base.source(), self.size),
            merge: &self.merge,
        }
    }
}

/// The remaining items of a sequence that merges neighbours. The same type is also a chunk of this sequence, and an iterator over such a
/// chunk.
#[derive(Debug)]
pub struct Merged<'a, S, M> {
    blocks: Blocks<S>,
    merge: &'a M,
}

impl<S: Source, M: Merge<S::Item>> Solid for Merged<'_, S, M> {}

impl<S: Source, M: Merge<S::Item>> Chunk for Merged<'_, S, M> {
    type Item = M::Output;
    type Iter = Self;

    #[inline]
    fn len(&self) -> usize {
        Source::len(&self.blocks)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        Merged {
            blocks: self.blocks.cut(count),
            merge: self.merge,
        }
    }

    #[inline]
    fn into_iter(self) -> Self {
        self
    }
}

impl<S: Source, M: Merge<S::Item>> Reversible for Merged<'_, S, M> {
    type Back = Rev<Self>;

    #[inline]
    fn into_back(self) -> Rev<Self> {
        self.rev()
    }
}

impl<S: Source, M: Merge<S::Item>> Iterator for Merged<'_, S, M> {
    type Item = M::Output;

    #[inline]
    fn next(&mut self) -> Option<M::Output> {
        self.blocks.next().map(|block| self.merge.of(block))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = Source::len(&self.blocks);
        (len, Some(len))
    }

    // The default `nth` would merge the blocks that it skips, too.
    #[inline]
    fn nth(&mut self, n: usize) -> Option<M::Output> {
        let over = n.min(Source::len(&self.blocks));
        drop(self.blocks.cut(over));
        self.next()
    }
}

impl<S: Source, M: Merge<S::Item>> DoubleEndedIterator for Merged<'_, S, M> {
    #[inline]
    fn next_back(&mut self) -> Option<M::Output> {
        self.blocks.next_back().map(|block| self.merge.of(block))
    }
}
