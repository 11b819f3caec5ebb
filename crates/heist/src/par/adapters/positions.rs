//! The positions of items that satisfy a condition.

use super::{by_base, by_job};
use crate::par::Par;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// The sequence that [`Indexed::positions`](crate::par::Indexed::positions) returns. The base of this sequence pairs items with
/// their indices.
#[derive(Clone, Debug)]
pub struct Positions<P, F> {
    base: P,
    is: F,
}

impl<P, F> Positions<P, F> {
    pub(crate) fn new(base: P, is: F) -> Self {
        Positions { base, is }
    }
}

impl<P, F, T> Par for Positions<P, F>
where
    P: Par<Item = (usize, T)>,
    F: Fn(T) -> bool + Send + Sync,
{
    type Item = usize;
    by_base!(is, |job| PositionsJob { job, is }, |_| None);
}

/// A job that passes chunks of indices to the wrapped job.
struct PositionsJob<'a, J, F> {
    job: &'a J,
    is: &'a F,
}

impl<T, J, F> Job<(usize, T)> for PositionsJob<'_, J, F>
where
    J: Job<usize>,
    F: Fn(T) -> bool + Sync,
{
    by_job!(usize);

    #[inline]
    fn chunk<C: Chunk<Item = (usize, T)>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let is = self.is;
        self.job
            .chunk(state, at, PositionsChunk { chunk, is }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = (usize, T)>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let is = self.is;
        self.job.whole(PositionsChunk { chunk, is }, scope)
    }
}

/// A chunk of indices.
#[derive(Debug)]
struct PositionsChunk<'a, C, F> {
    chunk: C,
    is: &'a F,
}

impl<'a, C, F, T> Chunk for PositionsChunk<'a, C, F>
where
    C: Chunk<Item = (usize, T)>,
    F: Fn(T) -> bool,
{
    type Item = usize;
    type Iter = PositionsIter<'a, C::Iter, F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        PositionsChunk {
            chunk: self.chunk.cut(count),
            is: self.is,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        PositionsIter {
            items: self.chunk.into_iter(),
            is: self.is,
        }
    }
}

/// An iterator over the indices of a chunk.
#[derive(Debug)]
struct PositionsIter<'a, I, F> {
    items: I,
    is: &'a F,
}

impl<I, F, T> Iterator for PositionsIter<'_, I, F>
where
    I: Iterator<Item = (usize, T)>,
    F: Fn(T) -> bool,
{
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.items
            .find_map(|(at, item)| (self.is)(item).then_some(at))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.size_hint().1)
    }

    #[inline]
    fn fold<A, G: FnMut(A, usize) -> A>(self, init: A, mut fold: G) -> A {
        let is = self.is;
        self.items.fold(
            init,
            |all, (at, item)| {
                if is(item) { fold(all, at) } else { all }
            },
        )
    }
}
