//! Finds the least or the greatest item.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that keeps one item. The job visits items from left to right. A new item replaces the kept item if the job's function returns
/// true.
#[derive(Debug)]
pub(crate) struct Best<F>(pub(crate) F);

impl<F> Best<F> {
    #[inline]
    fn better<T>(&self, kept: T, new: T) -> T
    where
        F: Fn(&T, &T) -> bool,
    {
        // The other item is dropped explicitly: if its destructor panics, the item to be kept must still be dropped.
        if (self.0)(&kept, &new) {
            drop(kept);
            new
        } else {
            drop(new);
            kept
        }
    }
}

impl<T: Send, F: Fn(&T, &T) -> bool + Sync> Job<T> for Best<F> {
    type State = Option<T>;
    type Output = Option<T>;

    fn begin(&self, _at: usize) -> Option<T> {
        None
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        best: &mut Option<T>,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        let mut items = chunk.into_iter();
        let Some(first) = best.take().or_else(|| items.next()) else {
            return;
        };
        *best = Some(items.fold(first, |kept, new| self.better(kept, new)));
    }

    fn merge(&self, left: &mut Option<T>, right: Option<T>) {
        *left = match (left.take(), right) {
            (Some(left), Some(right)) => Some(self.better(left, right)),
            (left, right) => left.or(right),
        };
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, best: Option<T>) -> Option<T> {
        best
    }
}
