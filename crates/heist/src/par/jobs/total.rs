//! Folds that may combine items in any grouping.

use super::monoid::Folding;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A fold by an exactly associative operator, such as the addition of unsigned integers. Parts may begin anywhere, and neighbours are
/// combined in any grouping. A [`Fold`](super::Fold) gives the same result, but stores items if a part begins in the middle of a leaf.
#[derive(Debug)]
pub(crate) struct Total<G>(pub(crate) G);

impl<T: Send, G: Folding<T>> Job<T> for Total<G> {
    /// The value is `None` if the part has no items.
    type State = Option<G::Open>;
    type Output = G::Acc;

    fn begin(&self, _at: usize) -> Self::State {
        None
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        let items = chunk.into_iter();
        *state = Some(match state.take() {
            Some(open) => self.0.fold(open, items),
            None => self.0.first(items),
        });
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        *left = match (left.take(), right) {
            (Some(left), Some(right)) => Some(self.0.take_in(left, self.0.close(right))),
            (left, right) => left.or(right),
        };
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, state: Self::State) -> G::Acc {
        match state {
            Some(open) => self.0.close(open),
            None => self.0.identity(),
        }
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, _scope: Scope<'_>) -> G::Acc {
        self.0.close(self.0.first(chunk.into_iter()))
    }
}
