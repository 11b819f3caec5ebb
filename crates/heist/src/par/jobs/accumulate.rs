//! Adds items to an accumulator in place.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that keeps one accumulator for each part of the schedule.
#[derive(Debug)]
pub(crate) struct Accumulate<I, F, M> {
    pub(crate) identity: I,
    pub(crate) add: F,
    pub(crate) merge: M,
}

impl<T, A, I, F, M> Job<T> for Accumulate<I, F, M>
where
    A: Send,
    I: Fn() -> A + Sync,
    F: Fn(&mut A, T) + Sync,
    M: Fn(&mut A, A) + Sync,
{
    type State = A;
    type Output = A;

    fn begin(&self, _at: usize) -> A {
        (self.identity)()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(&self, acc: &mut A, _at: usize, chunk: C, _scope: Scope<'_>) {
        chunk.into_iter().for_each(|item| (self.add)(acc, item));
    }

    fn merge(&self, left: &mut A, right: A) {
        (self.merge)(left, right);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, acc: A) -> A {
        acc
    }
}
