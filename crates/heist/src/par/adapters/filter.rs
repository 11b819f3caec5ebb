//! Keeping some items.

use super::{by_base, by_job};
use crate::par::Par;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
/// [`Par::filter`].
#[derive(Clone, Debug)]
pub struct Filter<P, F> {
    base: P,
    keep: F,
}

impl<P, F> Filter<P, F> {
    #[inline]
    pub(crate) fn new(base: P, keep: F) -> Self {
        Filter { base, keep }
    }
}

impl<P, F> Par for Filter<P, F>
where
    P: Par,
    F: Fn(&P::Item) -> bool + Send + Sync,
{
    type Item = P::Item;
    by_base!(keep, |job| FilterJob { job, keep }, |_| None);
}

/// Hands chunks on to the job, filtered.
struct FilterJob<'a, J, F> {
    job: &'a J,
    keep: &'a F,
}

impl<T, J, F> Job<T> for FilterJob<'_, J, F>
where
    J: Job<T>,
    F: Fn(&T) -> bool + Sync,
{
    by_job!(T);

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let keep = self.keep;
        self.job
            .chunk(state, at, FilterChunk { chunk, keep }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let keep = self.keep;
        self.job.whole(FilterChunk { chunk, keep }, scope)
    }
}

/// A chunk, filtered.
#[derive(Debug)]
pub(crate) struct FilterChunk<'a, C, F> {
    chunk: C,
    keep: &'a F,
}

impl<'a, C, F> Chunk for FilterChunk<'a, C, F>
where
    C: Chunk,
    F: Fn(&C::Item) -> bool,
{
    type Item = C::Item;
    type Iter = std::iter::Filter<C::Iter, &'a F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        FilterChunk {
            chunk: self.chunk.cut(count),
            keep: self.keep,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.chunk.into_iter().filter(self.keep)
    }
}
