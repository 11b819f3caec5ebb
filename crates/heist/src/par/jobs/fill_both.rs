//! Writes each half of a pair to its place in memory, which is known before the operation begins.

use super::filled::{Filled, Room};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that writes the halves of each position's pair to the position's two places.
#[derive(Debug)]
pub(crate) struct FillBoth<A, B>(pub(crate) Room<A>, pub(crate) Room<B>);

impl<A: Send, B: Send> Job<(A, B)> for FillBoth<A, B> {
    type State = (Filled<A>, Filled<B>);
    /// The output owns the written items while the remaining sequence is dropped, because the drop of the sequence may panic.
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
        // SAFETY: a job gets each position once, so no other part has or will have these places.
        let mut left = unsafe { self.0.write(&mut state.0, at, len) };
        // SAFETY: a job gets each position once, so no other part has or will have these places.
        let mut right = unsafe { self.1.write(&mut state.1, at, len) };
        chunk.into_iter().for_each(|(a, b)| {
            // SAFETY: only sequences that keep their length are filled, and these yield one pair for each of the chunk's `len`
            // positions.
            unsafe { left.push(a) };
            // SAFETY: only sequences that keep their length are filled, and these yield one pair for each of the chunk's `len`
            // positions.
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
