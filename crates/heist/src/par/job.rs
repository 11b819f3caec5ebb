//! The work done with a sequence, piece by piece, on any worker.

use super::limit::Scope;
use super::source::Chunk;

/// An operation on items `T`. Each part of the sequence has a state, through which its chunks go from left to right; states
/// of neighbouring parts are merged. The schedule decides where parts begin, so a job must ensure that the result does not
/// depend on it.
pub trait Job<T>: Sync {
    /// Result of a part.
    type State: Send;
    /// Result of all parts.
    type Output;

    /// The best length of chunks is a multiple of this number of positions, a power of two, if they are longer.
    #[inline]
    fn grain(&self) -> usize {
        1
    }

    /// The state of a part that begins at the position `at`.
    fn begin(&self, at: usize) -> Self::State;

    /// Processes the next chunk of a part, which is at position `at`.
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    );

    /// Joins a part with its right neighbour.
    fn merge(&self, left: &mut Self::State, right: Self::State);

    /// Absorbs the sequence that replaces the single position `at`, as if it were a chunk.
    fn absorb(&self, state: &mut Self::State, _at: usize, inner: Self::State, _scope: Scope<'_>) {
        self.merge(state, inner);
    }

    /// Whether a nested sequence may be processed item by item on the state of its outer part, which avoids a
    /// separate state to be absorbed. This is possible where neither positions nor its own result matter.
    #[inline]
    fn absorbs_items(&self) -> bool {
        false
    }

    /// Whether results to its right do not matter any more: a match has been found, or an item has failed.
    #[inline]
    fn is_final(&self, _state: &Self::State) -> bool {
        false
    }

    /// Converts the whole sequence's state to the operation's result.
    fn finish(&self, state: Self::State) -> Self::Output;

    /// Processes all of it at once, if the sequence is contiguous.
    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> Self::Output {
        let mut state = self.begin(0);
        self.chunk(&mut state, 0, chunk, scope);
        self.finish(state)
    }
}
