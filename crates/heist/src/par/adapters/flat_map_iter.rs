//! Serial sequences in place of items.

use super::{by_base, by_job};
use crate::par::Par;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
/// [`Par::flat_map_iter`].
#[derive(Clone, Debug)]
pub struct FlatMapIter<P, F> {
    base: P,
    map: F,
}

impl<P, F> FlatMapIter<P, F> {
    #[inline]
    pub(crate) fn new(base: P, map: F) -> Self {
        FlatMapIter { base, map }
    }
}

impl<P, F, I> Par for FlatMapIter<P, F>
where
    P: Par,
    F: Fn(P::Item) -> I + Send + Sync,
    I: IntoIterator,
    I::Item: Send,
{
    type Item = I::Item;
    by_base!(map, |job| FlatMapIterJob { job, map }, |_| None);
}

/// Hands chunks on to the job, flattened.
struct FlatMapIterJob<'a, J, F> {
    job: &'a J,
    map: &'a F,
}

impl<T, J, F, I> Job<T> for FlatMapIterJob<'_, J, F>
where
    J: Job<I::Item>,
    F: Fn(T) -> I + Sync,
    I: IntoIterator,
{
    by_job!(I::Item);

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let map = self.map;
        self.job
            .chunk(state, at, FlatMapIterChunk { chunk, map }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let map = self.map;
        self.job.whole(FlatMapIterChunk { chunk, map }, scope)
    }
}

/// A chunk, flattened.
#[derive(Debug)]
pub(crate) struct FlatMapIterChunk<'a, C, F> {
    chunk: C,
    map: &'a F,
}

impl<'a, C, F, I> Chunk for FlatMapIterChunk<'a, C, F>
where
    C: Chunk,
    F: Fn(C::Item) -> I,
    I: IntoIterator,
{
    type Item = I::Item;
    type Iter = std::iter::FlatMap<C::Iter, I, &'a F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        FlatMapIterChunk {
            chunk: self.chunk.cut(count),
            map: self.map,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.chunk.into_iter().flat_map(self.map)
    }
}
