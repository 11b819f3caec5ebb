//! Searches for the last matching item.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A search for the last item that matches. A part processes its items from left to right. After a match, the parts to the left of the
/// match that have not begun need not begin.
#[derive(Debug)]
pub(crate) struct FindLast<F>(pub(crate) F);

impl<T: Send, F: Fn(&T) -> bool + Sync> Job<T> for FindLast<F> {
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
        let mut last = None;
        let such = chunk.into_iter().filter(&self.0);
        such.for_each(|item| last = Some(item));
        if last.is_some() {
            *found = last;
            scope.stop_before();
        }
    }

    fn merge(&self, left: &mut Option<T>, right: Option<T>) {
        if right.is_some() {
            *left = right;
        }
    }

    fn absorb(&self, found: &mut Option<T>, _at: usize, inner: Option<T>, scope: Scope<'_>) {
        // A nested operation that was provisional has not reported its match to this scope.
        if inner.is_some() {
            *found = inner;
            scope.stop_before();
        }
    }

    fn finish(&self, found: Option<T>) -> Option<T> {
        found
    }
}
