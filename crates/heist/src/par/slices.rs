//! Parallel operations on the pieces of a slice.

use super::sources::{
    ParChunkBy, ParChunkByMut, ParChunks, ParChunksExact, ParChunksExactMut, ParChunksMut,
    ParRChunks, ParRChunksExact, ParRChunksExactMut, ParRChunksMut, ParSplit, ParSplitInclusive,
    ParSplitInclusiveMut, ParSplitMut, ParWindows,
};

/// Methods that return parallel sequences of pieces of a slice.
#[doc(alias = "ParallelSlice")]
pub trait ParSlice<T> {
    /// Returns the pieces of `size` elements. The last piece may be shorter.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks(&self, size: usize) -> ParChunks<'_, T>;

    /// Returns all windows of `size` neighbours.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_windows(&self, size: usize) -> ParWindows<'_, T>;

    /// Returns the pieces of `size` elements, without a shorter piece at the end. The sequence's
    /// [remainder](ParChunksExact::remainder) has the elements that are left over.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let pairs = [1, 2, 3, 4, 5].par_chunks_exact(2);
    /// assert_eq!(pairs.remainder(), [5]);
    /// assert_eq!(pairs.collect::<Vec<_>>(), [[1, 2], [3, 4]]);
    /// ```
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_exact(&self, size: usize) -> ParChunksExact<'_, T>;

    /// Returns the pieces of `size` elements, counted from the end. The last piece, at the slice's beginning, may be shorter.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let lengths = [1, 2, 3, 4, 5].par_rchunks(2).map(|piece| piece.len());
    /// assert_eq!(lengths.collect::<Vec<_>>(), [2, 2, 1]);
    /// ```
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_rchunks(&self, size: usize) -> ParRChunks<'_, T>;

    /// Returns the pieces of `size` elements, counted from the end, without a shorter piece at the slice's beginning. The
    /// sequence's [remainder](ParRChunksExact::remainder) has the elements that are left over at the slice's beginning.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_rchunks_exact(&self, size: usize) -> ParRChunksExact<'_, T>;

    /// Returns the runs of adjacent elements that belong together. `same` returns true for any two adjacent elements of a run.
    ///
    /// The operation calls `same` up to three times for a pair, on several workers at a time. If the slice is one long run, one worker
    /// checks all pairs. If `same` does not always give the same answer for a pair, the runs are unspecified, nonempty pieces of the slice:
    /// they may overlap, or omit elements. ([`par_chunk_by_mut`](ParSliceMut::par_chunk_by_mut) calls its function only once for each
    /// pair.)
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let runs = [1, 1, 2, 3, 3, 3].par_chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
    /// assert_eq!(runs.collect::<Vec<_>>(), [(1, 2), (2, 1), (3, 3)]);
    /// ```
    fn par_chunk_by<F>(&self, same: F) -> ParChunkBy<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync;

    /// Returns the pieces between the separators, without the separators. A separator is an element for which `is_separator` returns true.
    /// The number of pieces is the number of separators plus one. The piece between two adjacent separators is empty. If the slice begins
    /// with a separator, the first piece is empty. If the slice ends with a separator, the last piece is empty.
    ///
    /// The operation calls `is_separator` up to three times for an element, on several workers at a time. If `is_separator` does not always
    /// give the same answer for an element, the pieces are unspecified: they may overlap, or omit elements.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let pieces = [1, 2, 0, 3, 0].par_split(|x| *x == 0);
    /// assert_eq!(pieces.collect::<Vec<_>>(), [&[1, 2][..], &[3], &[]]);
    /// ```
    fn par_split<F>(&self, is_separator: F) -> ParSplit<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync;

    /// Works like [`par_split`](Self::par_split), but each piece includes the separator at its end. No piece follows a separator at
    /// the end of the slice.
    fn par_split_inclusive<F>(&self, is_separator: F) -> ParSplitInclusive<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync;
}

impl<T> ParSlice<T> for [T] {
    fn par_chunks(&self, size: usize) -> ParChunks<'_, T> {
        ParChunks::new(self, size)
    }

    fn par_windows(&self, size: usize) -> ParWindows<'_, T> {
        ParWindows::new(self, size)
    }

    fn par_chunks_exact(&self, size: usize) -> ParChunksExact<'_, T> {
        ParChunksExact::new(self, size)
    }

    fn par_rchunks(&self, size: usize) -> ParRChunks<'_, T> {
        ParRChunks::new(self, size)
    }

    fn par_rchunks_exact(&self, size: usize) -> ParRChunksExact<'_, T> {
        ParRChunksExact::new(self, size)
    }

    fn par_chunk_by<F>(&self, same: F) -> ParChunkBy<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ParChunkBy::new(self, same)
    }

    fn par_split<F>(&self, is_separator: F) -> ParSplit<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync,
    {
        ParSplit::new(self, is_separator)
    }

    fn par_split_inclusive<F>(&self, is_separator: F) -> ParSplitInclusive<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync,
    {
        ParSplitInclusive::new(self, is_separator)
    }
}

/// Methods that return parallel sequences of mutable pieces of a slice.
#[doc(alias = "ParallelSliceMut")]
pub trait ParSliceMut<T> {
    /// Returns the pieces of `size` elements. The last piece may be shorter.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_mut(&mut self, size: usize) -> ParChunksMut<'_, T>;

    /// Returns the pieces of `size` elements, without a shorter piece at the end. The sequence's
    /// [remainder](ParChunksExactMut::into_remainder) has the elements that are left over.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_exact_mut(&mut self, size: usize) -> ParChunksExactMut<'_, T>;

    /// Returns the pieces of `size` elements, counted from the end. The last piece, at the slice's beginning, may be shorter.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_rchunks_mut(&mut self, size: usize) -> ParRChunksMut<'_, T>;

    /// Returns the pieces of `size` elements, counted from the end, without a shorter piece at the slice's beginning. The
    /// sequence's [remainder](ParRChunksExactMut::into_remainder) has the elements that are left over at the slice's beginning.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_rchunks_exact_mut(&mut self, size: usize) -> ParRChunksExactMut<'_, T>;

    /// Returns the runs of adjacent elements that belong together. `same` returns true for any two adjacent elements of a run.
    ///
    /// Because elements may change, the operation first finds the ends of all runs, in parallel. The operation calls `same` once for each
    /// pair, and uses 8 bytes of memory for each run. So each element is in exactly one run, no matter what `same` returns.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = [1, 1, 2, 3, 3];
    /// xs.par_chunk_by_mut(|a, b| a == b).for_each(|run| run[0] = 0);
    /// assert_eq!(xs, [0, 1, 0, 0, 3]);
    /// ```
    fn par_chunk_by_mut<F>(&mut self, same: F) -> ParChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync;

    /// Returns the pieces between the separators, without the separators: see [`par_split`](ParSlice::par_split).
    ///
    /// Because elements may change, the operation first finds all separators, in parallel. The operation calls `is_separator` once for each
    /// element, and uses 8 bytes of memory for each piece. So no two pieces share an element, no matter what `is_separator` returns.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = [3, 2, 0, 1, 0, 9, 8, 7];
    /// xs.par_split_mut(|x| *x == 0).for_each(|piece| piece.sort());
    /// assert_eq!(xs, [2, 3, 0, 1, 0, 7, 8, 9]);
    /// ```
    fn par_split_mut<F>(&mut self, is_separator: F) -> ParSplitMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync;

    /// Works like [`par_split_mut`](Self::par_split_mut), but each piece includes the separator at its end. No piece follows a
    /// separator at the end of the slice.
    fn par_split_inclusive_mut<F>(&mut self, is_separator: F) -> ParSplitInclusiveMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync;
}

impl<T> ParSliceMut<T> for [T] {
    fn par_chunks_mut(&mut self, size: usize) -> ParChunksMut<'_, T> {
        ParChunksMut::new(self, size)
    }

    fn par_chunks_exact_mut(&mut self, size: usize) -> ParChunksExactMut<'_, T> {
        ParChunksExactMut::new(self, size)
    }

    fn par_rchunks_mut(&mut self, size: usize) -> ParRChunksMut<'_, T> {
        ParRChunksMut::new(self, size)
    }

    fn par_rchunks_exact_mut(&mut self, size: usize) -> ParRChunksExactMut<'_, T> {
        ParRChunksExactMut::new(self, size)
    }

    fn par_chunk_by_mut<F>(&mut self, same: F) -> ParChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Send + Sync,
    {
        ParChunkByMut::new(self, same)
    }

    fn par_split_mut<F>(&mut self, is_separator: F) -> ParSplitMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync,
    {
        ParSplitMut::new(self, is_separator)
    }

    fn par_split_inclusive_mut<F>(&mut self, is_separator: F) -> ParSplitInclusiveMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Send + Sync,
    {
        ParSplitInclusiveMut::new(self, is_separator)
    }
}
