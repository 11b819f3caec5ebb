//! Counts items.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that counts the items.
#[derive(Debug)]
pub(crate) struct Count;

impl<T> Job<T> for Count {
    type State = usize;
    type Output = usize;

    fn begin(&self, _at: usize) -> usize {
        0
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        count: &mut usize,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        add(count, chunk.into_iter().count());
    }

    fn merge(&self, left: &mut usize, right: usize) {
        add(left, right);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, count: usize) -> usize {
        count
    }
}

/// Adds `more` to the count. The sum may overflow, because the job counts the items of a range without visiting them.
#[inline]
fn add(count: &mut usize, more: usize) {
    *count = count
        .checked_add(more)
        .expect("heist: more than usize::MAX items were to be counted");
}
