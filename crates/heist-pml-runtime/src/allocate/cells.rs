//! Cells, in which one program of a prompt keeps values for later programs.

use crate::state::worker::Worker;
use crate::value::object::Value;

impl Worker {
    /// Makes new cells until there are at least `count` cells, in which one program keeps values for later programs. New cells contain an
    /// immediate.
    pub fn reserve_cells(&mut self, count: usize) {
        let old = if self.cells().is_immediate() {
            0
        } else {
            // SAFETY: if the cells are not an immediate, they are an array that this function has made, and nothing is collected before its
            // length is read.
            unsafe { self.cells().length() }
        };
        if count <= old {
            return;
        }
        let new = self.array(
            true,
            count.next_power_of_two().max(64),
            Value::immediate(0).0,
        );
        // SAFETY: between two programs nothing runs, so no other reference to `Inner` is in use. The reference that is made here ends with
        // the statement.
        let before = unsafe { std::mem::replace(&mut self.world.inner_mut().cells, new) };
        for index in 0..old {
            // SAFETY: both arrays have more than `index` elements, as `index < old < count`, and no program runs.
            unsafe { self.write(new, index, before.field(index)) };
        }
    }

    /// Returns the array of all cells.
    #[must_use]
    pub fn cells(&self) -> Value {
        self.world.inner().cells
    }
}
