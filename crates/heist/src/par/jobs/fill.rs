//! Writes each item to its place in memory, which is known before the operation begins.

use super::filled::{Filled, Room};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that writes the item of each position to the position's place.
#[derive(Debug)]
pub(crate) struct Fill<T>(pub(crate) Room<T>);

impl<T: Send> Job<T> for Fill<T> {
    type State = Filled<T>;
    /// The output owns the written items while the remaining sequence is dropped, because the drop of the sequence may panic.
    type Output = Filled<T>;

    fn begin(&self, at: usize) -> Filled<T> {
        self.0.part(at)
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut Filled<T>,
        at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        // SAFETY: a job gets each position once, so no other part writes these places. The chunk yields one item for each position, or
        // fewer if the sequence ends in the chunk, because only sequences that keep their length are filled.
        unsafe { self.0.fill(state, at, chunk.len(), chunk.into_iter()) };
    }

    fn merge(&self, left: &mut Filled<T>, right: Filled<T>) {
        left.append(right);
    }

    fn finish(&self, state: Filled<T>) -> Filled<T> {
        state
    }
}
