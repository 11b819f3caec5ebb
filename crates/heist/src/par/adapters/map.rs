//! Applying a function.

use super::{by_base, by_job};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, Par};
/// [`Par::map`].
#[derive(Clone, Debug)]
pub struct Map<P, F> {
    base: P,
    map: F,
}

impl<P, F> Map<P, F> {
    #[inline]
    pub(crate) fn new(base: P, map: F) -> Self {
        Map { base, map }
    }
}

impl<P, F, U> Par for Map<P, F>
where
    P: Par,
    F: Fn(P::Item) -> U + Send + Sync,
    U: Send,
{
    type Item = U;
    by_base!(map, |job| MapJob { job, map }, Par::exact_len);
}

/// Hands chunks on to the job, mapped.
struct MapJob<'a, J, F> {
    job: &'a J,
    map: &'a F,
}

impl<T, J, F, U> Job<T> for MapJob<'_, J, F>
where
    J: Job<U>,
    F: Fn(T) -> U + Sync,
{
    by_job!(U);

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let map = self.map;
        self.job.chunk(state, at, MapChunk { chunk, map }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let map = self.map;
        self.job.whole(MapChunk { chunk, map }, scope)
    }
}

/// A chunk, mapped.
#[derive(Debug)]
pub struct MapChunk<'a, C, F> {
    chunk: C,
    map: &'a F,
}

impl<'a, C, F, U> Chunk for MapChunk<'a, C, F>
where
    C: Chunk,
    F: Fn(C::Item) -> U,
{
    type Item = U;
    type Iter = std::iter::Map<C::Iter, &'a F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        MapChunk {
            chunk: self.chunk.cut(count),
            map: self.map,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.chunk.into_iter().map(self.map)
    }
}

impl<'a, C, F, U> Reversible for MapChunk<'a, C, F>
where
    C: Reversible,
    F: Fn(C::Item) -> U,
{
    type Back = std::iter::Map<C::Back, &'a F>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.chunk.into_back().map(self.map)
    }
}

impl<P, F, U> Indexed for Map<P, F>
where
    P: Indexed,
    F: Fn(P::Item) -> U + Send + Sync,
    U: Send,
{
    type Source<'a>
        = MapSource<'a, P::Source<'a>, F>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn lies_together(&self) -> bool {
        self.base.lies_together()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        MapSource {
            source: self.base.source(),
            map: &self.map,
        }
    }
}

/// What is left of a sequence, mapped.
#[derive(Debug)]
pub struct MapSource<'a, S, F> {
    source: S,
    map: &'a F,
}

impl<'a, S, F, U> Source for MapSource<'a, S, F>
where
    S: Source,
    F: Fn(S::Item) -> U + Sync,
{
    type Item = U;
    type Chunk = MapChunk<'a, S::Chunk, F>;

    #[inline]
    fn len(&self) -> usize {
        self.source.len()
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        self.source.reach(at_most)
    }

    #[inline]
    fn reach_back(&self, at_most: usize) -> usize {
        self.source.reach_back(at_most)
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        MapChunk {
            chunk: self.source.take_front(count),
            map: self.map,
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        MapSource {
            source: self.source.split_off(at),
            map: self.map,
        }
    }

    fn cleft(&self) -> Option<usize> {
        self.source.cleft()
    }
}
