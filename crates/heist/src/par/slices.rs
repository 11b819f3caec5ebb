//! What slices have in parallel beyond their elements.

use super::sources::{ParChunks, ParChunksMut, ParWindows};

/// Pieces of slices.
pub trait ParSlice<T> {
    /// Pieces of `size` elements; the last one may be shorter.
    ///
    /// # Panics
    /// If `size` is 0.
    fn par_chunks(&self, size: usize) -> ParChunks<'_, T>;

    /// All runs of `size` neighbours.
    ///
    /// # Panics
    /// If `size` is 0.
    fn par_windows(&self, size: usize) -> ParWindows<'_, T>;
}

impl<T> ParSlice<T> for [T] {
    fn par_chunks(&self, size: usize) -> ParChunks<'_, T> {
        ParChunks::new(self, size)
    }

    fn par_windows(&self, size: usize) -> ParWindows<'_, T> {
        ParWindows::new(self, size)
    }
}

/// Pieces of slices, to be changed.
pub trait ParSliceMut<T> {
    /// Pieces of `size` elements; the last one may be shorter.
    ///
    /// # Panics
    /// If `size` is 0.
    fn par_chunks_mut(&mut self, size: usize) -> ParChunksMut<'_, T>;
}

impl<T> ParSliceMut<T> for [T] {
    fn par_chunks_mut(&mut self, size: usize) -> ParChunksMut<'_, T> {
        ParChunksMut::new(self, size)
    }
}
