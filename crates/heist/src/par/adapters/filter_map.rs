//! Mapping, and keeping some items.

use super::{by_base, by_job};
use crate::par::Par;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
/// [`Par::filter_map`].
#[derive(Clone, Debug)]
pub struct FilterMap<P, F> {
    base: P,
    map: F,
}

impl<P, F> FilterMap<P, F> {
    #[inline]
    pub(crate) fn new(base: P, map: F) -> Self {
        FilterMap { base, map }
    }
}

impl<P, F, U> Par for FilterMap<P, F>
where
    P: Par,
    F: Fn(P::Item) -> Option<U> + Send + Sync,
    U: Send,
{
    type Item = U;
    by_base!(map, |job| FilterMapJob { job, map }, |_| None);
}

/// Hands chunks on to the job, mapped and filtered.
struct FilterMapJob<'a, J, F> {
    job: &'a J,
    map: &'a F,
}

impl<T, J, F, U> Job<T> for FilterMapJob<'_, J, F>
where
    J: Job<U>,
    F: Fn(T) -> Option<U> + Sync,
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
        self.job
            .chunk(state, at, FilterMapChunk { chunk, map }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let map = self.map;
        self.job.whole(FilterMapChunk { chunk, map }, scope)
    }
}

/// A chunk, mapped and filtered.
#[derive(Debug)]
pub(crate) struct FilterMapChunk<'a, C, F> {
    chunk: C,
    map: &'a F,
}

impl<'a, C, F, U> Chunk for FilterMapChunk<'a, C, F>
where
    C: Chunk,
    F: Fn(C::Item) -> Option<U>,
{
    type Item = U;
    type Iter = std::iter::FilterMap<C::Iter, &'a F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        FilterMapChunk {
            chunk: self.chunk.cut(count),
            map: self.map,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.chunk.into_iter().filter_map(self.map)
    }
}
