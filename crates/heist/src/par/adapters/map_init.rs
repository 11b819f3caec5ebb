//! An adapter that applies a function with a scratch value.

use super::by_base;
use super::make::{Clones, Make};
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use crate::par::{Par, Splitting};
use std::cell::{RefCell, RefMut};
use std::mem::replace;

/// The sequence that [`Par::map_init`] returns.
#[derive(Clone, Debug)]
pub struct MapInit<P, I, F> {
    pub(super) base: P,
    pub(super) init: I,
    pub(super) map: F,
}

/// The sequence that [`Par::map_with`] returns.
pub type MapWith<P, W, F> = MapInit<P, Clones<W>, F>;

impl<P, I, F> MapInit<P, I, F> {
    pub(crate) fn new(base: P, init: I, map: F) -> Self {
        MapInit { base, init, map }
    }
}

impl<P, I, F, W, U> Par for MapInit<P, I, F>
where
    P: Par,
    I: Make<With = W>,
    F: Fn(&mut W, P::Item) -> U + Send + Sync,
    W: Send,
    U: Send,
{
    type Item = U;
    by_base!(Par::exact_len);

    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<U>,
    {
        let MapInit { base, init, map } = self;
        let (state, with) = {
            let (init, map) = (&init, &map);
            base.drive(policy, &MapInitJob { job, init, map }, origin)
        };
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop((with, init, map));
        state
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<U>,
    {
        let (init, map) = (&self.init, &self.map);
        let mut both = (replace(state, job.begin(0)), None);
        let job = MapInitJob { job, init, map };
        self.base.flat(&job, &mut both, scope);
        (*state, _) = both;
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<U>,
    {
        let (init, map) = (&self.init, &self.map);
        self.base.whole(&MapInitJob { job, init, map })
    }
}

/// A job that passes mapped chunks to the wrapped job. A part keeps the function's scratch value from its first chunk to its last.
struct MapInitJob<'a, J, I, F> {
    job: &'a J,
    init: &'a I,
    map: &'a F,
}

impl<T, J, I, F, W, U> Job<T> for MapInitJob<'_, J, I, F>
where
    J: Job<U>,
    I: Make<With = W>,
    F: Fn(&mut W, T) -> U + Sync,
    W: Send,
{
    type State = (J::State, Option<RefCell<W>>);
    type Output = J::Output;

    #[inline]
    fn grain(&self) -> usize {
        self.job.grain()
    }

    fn begin(&self, at: usize) -> Self::State {
        (self.job.begin(at), None)
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        (state, with): &mut Self::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let with = with.get_or_insert_with(|| RefCell::new(self.init.make()));
        let map = self.map;
        self.job
            .chunk(state, at, MapInitChunk { chunk, with, map }, scope);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        self.job.merge(&mut left.0, right.0);
    }

    fn absorb(&self, state: &mut Self::State, at: usize, inner: Self::State, scope: Scope<'_>) {
        self.job.absorb(&mut state.0, at, inner.0, scope);
    }

    fn is_final(&self, (state, _): &Self::State) -> bool {
        self.job.is_final(state)
    }

    fn finish(&self, (state, with): Self::State) -> J::Output {
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(with);
        self.job.finish(state)
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
        if chunk.len() == 0 {
            // No scratch value is made for an empty chunk.
            return self.job.finish(self.job.begin(0));
        }
        let with = RefCell::new(self.init.make());
        let map = self.map;
        let values = MapInitChunk {
            chunk,
            with: &with,
            map,
        };
        let output = self.job.whole(values, scope);
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(with);
        output
    }
}

/// A chunk of mapped items. A part that is cut off from the chunk uses the same scratch value. Sharing the value is safe, because the two
/// parts never run at the same time.
#[derive(Debug)]
struct MapInitChunk<'a, C, W, F> {
    chunk: C,
    with: &'a RefCell<W>,
    map: &'a F,
}

impl<'a, C, W, F, U> Chunk for MapInitChunk<'a, C, W, F>
where
    C: Chunk,
    F: Fn(&mut W, C::Item) -> U,
{
    type Item = U;
    type Iter = MapInitIter<'a, C::Iter, W, F>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        MapInitChunk {
            chunk: self.chunk.cut(count),
            ..*self
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        MapInitIter {
            items: self.chunk.into_iter(),
            with: self.with.borrow_mut(),
            map: self.map,
        }
    }
}

/// An iterator over the mapped items of a chunk.
#[derive(Debug)]
struct MapInitIter<'a, I, W, F> {
    items: I,
    with: RefMut<'a, W>,
    map: &'a F,
}

impl<I, W, F, U> Iterator for MapInitIter<'_, I, W, F>
where
    I: Iterator,
    F: Fn(&mut W, I::Item) -> U,
{
    type Item = U;

    #[inline]
    fn next(&mut self) -> Option<U> {
        let item = self.items.next()?;
        Some((self.map)(&mut self.with, item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<A, G: FnMut(A, U) -> A>(mut self, init: A, mut fold: G) -> A {
        let (with, map) = (&mut *self.with, self.map);
        self.items
            .fold(init, |all, item| fold(all, map(with, item)))
    }
}
