//! The operations that run on a sequence's items, piece by piece, on any worker.

use super::limit::Scope;
use super::source::Chunk;

/// An operation on items of type `T`. Each part of the sequence has a state, to which the job adds the part's chunks from left to right.
/// The job also merges the states of neighbouring parts. The schedule decides where parts begin. A job must ensure that the result does not
/// depend on where parts begin.
pub trait Job<T>: Sync {
    /// Result of a part.
    type State: Send;
    /// Result of all parts.
    type Output;

    /// Returns the grain, a power of two. The length of a chunk should be a multiple of the grain, unless the chunk is shorter than the
    /// grain.
    #[inline]
    fn grain(&self) -> usize {
        1
    }

    /// Returns the state of a part that begins at position `at`.
    fn begin(&self, at: usize) -> Self::State;

    /// Adds the next chunk of a part to the part's state. The chunk's first position is `at`.
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    );

    /// Merges `right`, the state of the right neighbour, into `left`, the state of a part.
    fn merge(&self, left: &mut Self::State, right: Self::State);

    /// Adds `inner`, the result of a nested sequence, to the state. The nested sequence replaces the single position `at`, so its result
    /// counts as a chunk of one position.
    fn absorb(&self, state: &mut Self::State, _at: usize, inner: Self::State, _scope: Scope<'_>) {
        self.merge(state, inner);
    }

    /// Returns true if the items of a nested sequence may be added one by one to the state of the outer part. The nested sequence then
    /// needs no state of its own. The job may return true if its result depends neither on the positions of items nor on the separate
    /// result of a nested sequence.
    #[inline]
    fn absorbs_items(&self) -> bool {
        false
    }

    /// Returns true if the operation does not need any results to the right of the state, because the state contains a match or a failure.
    #[inline]
    fn is_final(&self, _state: &Self::State) -> bool {
        false
    }

    /// Converts the whole sequence's state to the operation's result.
    fn finish(&self, state: Self::State) -> Self::Output;

    /// Runs the operation on a sequence that is a single chunk, and returns the result.
    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> Self::Output {
        let mut state = self.begin(0);
        self.chunk(&mut state, 0, chunk, scope);
        self.finish(state)
    }
}
