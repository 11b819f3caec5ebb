//! Calls a function with each item.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that calls the function with each item.
#[derive(Debug)]
pub(crate) struct ForEach<F>(pub(crate) F);

impl<T, F: Fn(T) + Sync> Job<T> for ForEach<F> {
    type State = ();
    type Output = ();

    fn begin(&self, _at: usize) {}

    #[inline]
    fn chunk<C: Chunk<Item = T>>(&self, (): &mut (), _at: usize, chunk: C, _scope: Scope<'_>) {
        chunk.into_iter().for_each(&self.0);
    }

    fn merge(&self, (): &mut (), (): ()) {}

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, (): ()) {}
}
