//! The work done with a sequence, piece by piece, on any worker.

use super::limit::Scope;
use super::source::Chunk;

/// An operation on items `T`. Each part of the sequence has a state, to which the job adds the part's chunks from left to right;
/// states of neighbouring parts are merged. The schedule decides where parts begin, so a job must ensure that the result does not
/// depend on it.
pub trait Job<T>: Sync {
    /// Result of a part.
    type State: Send;
    /// Result of all parts.
    type Output;

    /// Returns a power of two. The length of a chunk that is longer than this is best a multiple of it.
    #[inline]
    fn grain(&self) -> usize {
        1
    }

    /// Returns the state of a part that begins at position `at`.
    fn begin(&self, at: usize) -> Self::State;

    /// Processes the next chunk of a part, whose first position is `at`.
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    );

    /// Joins a part with its right neighbour.
    fn merge(&self, left: &mut Self::State, right: Self::State);

    /// Absorbs the result of the sequence that replaces the single position `at`, as if it were a chunk.
    fn absorb(&self, state: &mut Self::State, _at: usize, inner: Self::State, _scope: Scope<'_>) {
        self.merge(state, inner);
    }

    /// Returns true if a nested sequence may be processed item by item on the state of its outer part, which saves a separate
    /// state. This is possible if neither positions nor the nested sequence's own result matter.
    #[inline]
    fn absorbs_items(&self) -> bool {
        false
    }

    /// Returns true if results to the right of the state do not matter any more, because a match has been found or an item has
    /// failed.
    #[inline]
    fn is_final(&self, _state: &Self::State) -> bool {
        false
    }

    /// Converts the whole sequence's state to the operation's result.
    fn finish(&self, state: Self::State) -> Self::Output;

    /// Processes the whole sequence at once, if it is contiguous.
    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> Self::Output {
        let mut state = self.begin(0);
        self.chunk(&mut state, 0, chunk, scope);
        self.finish(state)
    }
}
