//! Searches for a matching item.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A search for the first matching item, or for any matching item.
#[derive(Debug)]
pub(crate) struct Find<F> {
    pub(crate) is: F,
    pub(crate) first: bool,
}

impl<F> Find<F> {
    /// Stops the work at all positions whose items cannot change the result after a match.
    #[inline]
    fn tell<T>(&self, found: &Option<T>, scope: Scope<'_>) {
        if found.is_some() {
            if self.first {
                scope.stop_after();
            } else {
                scope.stop_all();
            }
        }
    }
}

impl<T: Send, F: Fn(&T) -> bool + Sync> Job<T> for Find<F> {
    type State = Option<T>;
    type Output = Option<T>;

    fn begin(&self, _at: usize) -> Option<T> {
        None
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        found: &mut Option<T>,
        _at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        if found.is_some() {
            return;
        }
        *found = chunk.into_iter().find(&self.is);
        self.tell(found, scope);
    }

    fn merge(&self, left: &mut Option<T>, right: Option<T>) {
        if left.is_none() {
            *left = right;
        }
    }

    fn absorb(&self, found: &mut Option<T>, _at: usize, inner: Option<T>, scope: Scope<'_>) {
        self.merge(found, inner);
        // A nested operation that was provisional has not reported its match to this scope.
        self.tell(found, scope);
    }

    fn is_final(&self, found: &Option<T>) -> bool {
        found.is_some()
    }

    fn finish(&self, found: Option<T>) -> Option<T> {
        found
    }
}
