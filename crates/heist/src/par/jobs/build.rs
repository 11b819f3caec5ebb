//! Builds a rope of the items, in order.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::rope::{Rope, RopeBuilder};
use crate::par::source::Chunk;

/// A job that builds a rope. Each part fills its own leaves. A later merge of two parts changes only the last leaves of the left part and
/// the first leaves of the right part.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) leaf: usize,
    /// The number of positions if each position has an item. (A sequence that ends early has fewer items.) If this number is known, the
    /// schedule does not affect the leaves.
    pub(crate) exact: Option<usize>,
}

impl<T: Send + Sync> Job<T> for Build {
    type State = RopeBuilder<T>;
    type Output = Rope<T>;

    fn begin(&self, at: usize) -> RopeBuilder<T> {
        match self.exact {
            Some(len) => RopeBuilder::of_part(self.leaf, at, len),
            None => RopeBuilder::with_leaf(self.leaf),
        }
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        builder: &mut RopeBuilder<T>,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        builder.extend(chunk.into_iter());
    }

    fn merge(&self, left: &mut RopeBuilder<T>, right: RopeBuilder<T>) {
        left.append(right);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, builder: RopeBuilder<T>) -> Rope<T> {
        builder.finish()
    }
}
