//! Writes pairs in order, each half to a place that is known beforehand.

use super::filled::{Filled, Room};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// Writes the pair of each position to its two places.
#[derive(Debug)]
pub(crate) struct FillBoth<A, B>(pub(crate) Room<A>, pub(crate) Room<B>);

impl<A: Send, B: Send> Job<(A, B)> for FillBoth<A, B> {
    type State = (Filled<A>, Filled<B>);
    /// Owns the items while the remaining sequence is dropped, which may panic.
    type Output = Self::State;

    fn begin(&self, at: usize) -> Self::State {
        (self.0.part(at), self.1.part(at))
    }

    #[inline]
    fn chunk<C: Chunk<Item = (A, B)>>(
        &self,
        state: &mut Self::State,
        at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        let len = chunk.len();
        // SAFETY: each position is given out once.
        let mut left = unsafe { self.0.write(&mut state.0, at, len) };
        // SAFETY: each position is given out once.
        let mut right = unsafe { self.1.write(&mut state.1, at, len) };
        chunk.into_iter().for_each(|(a, b)| {
            // SAFETY: sequences that keep their length yield one pair for each position of a chunk.
            unsafe { left.push(a) };
            // SAFETY: sequences that keep their length yield one pair for each position of a chunk.
            unsafe { right.push(b) };
        });
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.0.append(right.0);
        left.1.append(right.1);
    }

    fn finish(&self, state: Self::State) -> Self::State {
        state
    }
}
