//! Looking at items.

use super::{by_base, by_job};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, Par};
/// [`Par::inspect`].
#[derive(Clone, Debug)]
pub struct Inspect<P, F> {
    base: P,
    look: F,
}

impl<P, F> Inspect<P, F> {
    #[inline]
    pub(crate) fn new(base: P, look: F) -> Self {
        Inspect { base, look }
    }
}

impl<P, F> Par for Inspect<P, F>
where
    P: Par,
    F: Fn(&P::Item) + Send + Sync,
{
    type Item = P::Item;
    by_base!(look, |job| InspectJob { job, look }, Par::exact_len);
}

/// Hands chunks on to the job, looked at.
struct InspectJob<'a, J, F> {
    job: &'a J,
    look: &'a F,
}

impl<T, J, F> Job<T> for InspectJob<'_, J, F>
where
    J: Job<T>,
    F: Fn(&T) + Sync,
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
        let look = self.look;
        self.job
            .chunk(state, at, InspectChunk { chunk, look }, scope);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let look = self.look;
        self.job.whole(InspectChunk { chunk, look }, scope)
    }
}

/// A chunk, looked at.
#[derive(Debug)]
pub struct InspectChunk<'a, C, F> {
    chunk: C,
    look: &'a F,
}

impl<'a, C, F> Chunk for InspectChunk<'a, C, F>
where
    C: Chunk,
    F: Fn(&C::Item),
{
    type Item = C::Item;
    type Iter = std::iter::Inspect<C::Iter, &'a F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        InspectChunk {
            chunk: self.chunk.cut(count),
            look: self.look,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        self.chunk.into_iter().inspect(self.look)
    }
}

impl<'a, C, F> Reversible for InspectChunk<'a, C, F>
where
    C: Reversible,
    F: Fn(&C::Item),
{
    type Back = std::iter::Inspect<C::Back, &'a F>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.chunk.into_back().inspect(self.look)
    }
}

impl<P, F> Indexed for Inspect<P, F>
where
    P: Indexed,
    F: Fn(&P::Item) + Send + Sync,
{
    type Source<'a>
        = InspectSource<'a, P::Source<'a>, F>
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
        InspectSource {
            source: self.base.source(),
            look: &self.look,
        }
    }
}

/// What is left of a sequence, looked at.
#[derive(Debug)]
pub struct InspectSource<'a, S, F> {
    source: S,
    look: &'a F,
}

impl<'a, S, F> Source for InspectSource<'a, S, F>
where
    S: Source,
    F: Fn(&S::Item) + Sync,
{
    type Item = S::Item;
    type Chunk = InspectChunk<'a, S::Chunk, F>;

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
        InspectChunk {
            chunk: self.source.take_front(count),
            look: self.look,
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        InspectSource {
            source: self.source.split_off(at),
            look: self.look,
        }
    }

    fn cleft(&self) -> Option<usize> {
        self.source.cleft()
    }
}
