//! Writers, which put the cells of an I-structure.

use super::cells::Cells;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A handle that may put some of the cells of an [`IStructure`](super::IStructure). The handle may put each of its cells once.
///
/// A writer can be split. So each task can receive the writer of the part that it fills. The drop of a writer breaks the cells that
/// the writer has not put. A reader of a broken cell panics.
///
/// ```
/// let (writer, cells) = heist::sync::i_structure(6);
/// heist::finish(|f| {
///     for mut row in writer.chunks(2) {
///         f.spawn(move |_| {
///             for index in row.range() {
///                 row.put(index, index * index);
///             }
///         });
///     }
/// });
/// assert_eq!(*cells.get(5), 25);
/// ```
#[must_use = "a writer that is dropped breaks the cells that it has not put"]
pub struct CellWriter<T> {
    cells: Arc<Cells<T>>,
    /// The cells that only this writer may put.
    range: Range<usize>,
    /// Number of cells that this writer has put.
    put: usize,
}

impl<T> fmt::Debug for CellWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellWriter")
            .field("range", &self.range)
            .field("put", &self.put)
            .finish_non_exhaustive()
    }
}

impl<T> CellWriter<T> {
    /// Creates the writer of all cells. The caller must create only one writer.
    pub(super) fn of_all(cells: Arc<Cells<T>>) -> Self {
        let range = 0..cells.len();
        CellWriter {
            cells,
            range,
            put: 0,
        }
    }

    /// Returns the range of the writer's cells.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Puts the value of a cell. The put wakes all waiters of the cell. If the cell has no waiters, the put costs two stores and
    /// two loads. The first put among 64 neighbouring cells also takes a lock for a short time.
    ///
    /// # Panics
    /// Panics if the cell does not belong to this writer, or has been put before.
    #[inline]
    #[track_caller]
    pub fn put(&mut self, index: usize, value: T) {
        let Range { start, end } = self.range;
        // One comparison checks both ends.
        let within = index.wrapping_sub(start) < end - start;
        // SAFETY: all indices in the range belong to cells, and no other writer has these cells.
        if !within || !unsafe { self.cells.put(index, value) } {
            self.refuse(index);
        }
        self.put += 1;
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse(&self, index: usize) -> ! {
        let Range { start, end } = self.range;
        if self.range.contains(&index) {
            panic!("heist: cell {index} has been put already");
        }
        panic!("heist: cell {index} is not one of this writer's, which are {start}..{end}");
    }

    /// Splits the writer before cell `at`. If some cells of the writer have been put, the split takes time proportional to the number of
    /// the writer's cells.
    ///
    /// # Panics
    /// Panics if `at` is neither the index of one of the writer's cells nor the end of its range.
    #[track_caller]
    pub fn split_at(mut self, at: usize) -> (CellWriter<T>, CellWriter<T>) {
        let Range { start, end } = self.range;
        assert!(
            (start..=end).contains(&at),
            "heist: {at} is not in {start}..{end}, the cells of this writer"
        );
        let put = std::mem::take(&mut self.put);
        self.range = 0..0;
        let put_before = match put {
            0 => 0,
            _ => (start..at).filter(|&cell| self.cells.is_put(cell)).count(),
        };
        let part = |range, put| CellWriter {
            cells: Arc::clone(&self.cells),
            range,
            put,
        };
        (part(start..at, put_before), part(at..end, put - put_before))
    }

    /// Splits the writer into writers of `size` cells each. The last writer may have fewer cells.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    #[track_caller]
    pub fn chunks(self, size: usize) -> impl Iterator<Item = CellWriter<T>> {
        assert!(size > 0, "heist: chunks of no cells");
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let writer = rest.take()?;
            if writer.range.len() <= size {
                return (!writer.range.is_empty()).then_some(writer);
            }
            let at = writer.range.start + size;
            let (first, others) = writer.split_at(at);
            rest = Some(others);
            Some(first)
        })
    }
}

impl<T> Drop for CellWriter<T> {
    fn drop(&mut self) {
        if self.put == self.range.len() {
            return;
        }
        for index in self.range() {
            // SAFETY: the index is in the range of this writer, so the cell exists, and no other writer has it.
            unsafe { self.cells.break_off(index) };
        }
    }
}
