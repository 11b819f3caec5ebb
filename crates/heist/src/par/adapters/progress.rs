//! Sequences that report their progress.

use super::{by_base, by_job, by_source};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, Par};
use std::thread;

/// The sequence that [`Par::progress`] returns.
#[derive(Clone, Debug)]
pub struct Progress<P, F> {
    base: P,
    tell: F,
}

impl<P, F> Progress<P, F> {
    #[inline]
    pub(crate) fn new(base: P, tell: F) -> Self {
        Progress { base, tell }
    }
}

impl<P, F> Par for Progress<P, F>
where
    P: Par,
    F: Fn(usize) + Send + Sync,
{
    type Item = P::Item;
    by_base!(tell, |job| ProgressJob { job, tell }, Par::exact_len);
}

/// A job that passes each chunk to the wrapped job, and then reports the chunk's number of positions.
struct ProgressJob<'a, J, F> {
    job: &'a J,
    tell: &'a F,
}

impl<J, F, T> Job<T> for ProgressJob<'_, J, F>
where
    J: Job<T>,
    F: Fn(usize) + Sync,
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
        let count = chunk.len();
        self.job.chunk(state, at, chunk, scope);
        tell_of(self.tell, count);
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        let count = chunk.len();
        let output = self.job.whole(chunk, scope);
        tell_of(self.tell, count);
        output
    }
}

#[inline]
fn tell_of(tell: &impl Fn(usize), count: usize) {
    if count > 0 {
        tell(count);
    }
}

/// A guard whose drop reports the chunk's number of positions, unless a panic causes the drop.
#[derive(Debug)]
struct Tell<'a, F: Fn(usize)> {
    tell: &'a F,
    count: usize,
}

impl<F: Fn(usize)> Drop for Tell<'_, F> {
    #[inline]
    fn drop(&mut self) {
        if !thread::panicking() {
            tell_of(self.tell, self.count);
        }
    }
}

/// A chunk that reports its number of positions when the wrapped job has processed it.
#[derive(Debug)]
pub struct ProgressChunk<'a, C, F: Fn(usize)> {
    chunk: C,
    tell: Tell<'a, F>,
}

impl<'a, C: Chunk, F: Fn(usize)> ProgressChunk<'a, C, F> {
    #[inline]
    fn new(chunk: C, tell: &'a F) -> Self {
        let count = chunk.len();
        let tell = Tell { tell, count };
        ProgressChunk { chunk, tell }
    }
}

impl<'a, C: Chunk, F: Fn(usize)> Chunk for ProgressChunk<'a, C, F> {
    type Item = C::Item;
    type Iter = ProgressIter<'a, C::Iter, F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    /// Cuts the chunk. The job processes the front part first, so the remaining part reports the positions of both parts. The front part
    /// reports nothing.
    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let tell = self.tell.tell;
        ProgressChunk {
            chunk: self.chunk.cut(count),
            tell: Tell { tell, count: 0 },
        }
    }

    #[inline]
    fn look_ahead(&self) -> bool {
        self.chunk.look_ahead()
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        ProgressIter {
            items: self.chunk.into_iter(),
            tell: self.tell,
        }
    }
}

impl<'a, C: Reversible, F: Fn(usize)> Reversible for ProgressChunk<'a, C, F> {
    type Back = ProgressIter<'a, C::Back, F>;

    #[inline]
    fn into_back(self) -> Self::Back {
        ProgressIter {
            items: self.chunk.into_back(),
            tell: self.tell,
        }
    }
}

/// An iterator over a chunk. The drop of the iterator reports the chunk's positions.
#[derive(Debug)]
pub struct ProgressIter<'a, I, F: Fn(usize)> {
    items: I,
    tell: Tell<'a, F>,
}

impl<I: Iterator, F: Fn(usize)> Iterator for ProgressIter<'_, I, F> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.items.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<A, G: FnMut(A, I::Item) -> A>(self, init: A, fold: G) -> A {
        let ProgressIter { items, tell } = self;
        let all = items.fold(init, fold);
        drop(tell);
        all
    }
}

impl<P, F> Indexed for Progress<P, F>
where
    P: Indexed,
    F: Fn(usize) + Send + Sync,
{
    type Source<'a>
        = ProgressSource<'a, P::Source<'a>, F>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        ProgressSource {
            source: self.base.source(),
            tell: &self.tell,
        }
    }
}

/// The remaining items of a sequence that reports its progress. Each chunk reports its number of positions when the job has processed the
/// chunk.
#[derive(Debug)]
pub struct ProgressSource<'a, S, F> {
    source: S,
    tell: &'a F,
}

impl<'a, S, F> Source for ProgressSource<'a, S, F>
where
    S: Source,
    F: Fn(usize) + Sync,
{
    type Item = S::Item;
    type Chunk = ProgressChunk<'a, S::Chunk, F>;

    by_source!(source);

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        ProgressChunk::new(self.source.take_front(count), self.tell)
    }

    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        ProgressChunk::new(self.source.take_back(count), self.tell)
    }

    fn split_off(&mut self, at: usize) -> Self {
        ProgressSource {
            source: self.source.split_off(at),
            tell: self.tell,
        }
    }
}
