//! The copies of young objects that promotion has made.

use crate::value::object::{Value, WORD};

/// A table of the most recent copies. With this table, a promotion copies an object only once, even if the program stores it in many
/// places.
#[derive(Default)]
pub struct Copies([(usize, usize); 32]);

impl Copies {
    fn place(object: Value) -> usize {
        object.0 / WORD % 32
    }

    pub(crate) fn get(&self, object: Value) -> Option<Value> {
        let (from, to) = self.0[Copies::place(object)];
        (from == object.0).then_some(Value(to))
    }

    pub(crate) fn put(&mut self, object: Value, copy: Value) {
        self.0[Copies::place(object)] = (object.0, copy.0);
    }
}

/// The copies of a worker's young objects.
#[derive(Default)]
pub struct Forwards {
    /// The table has one entry for each word of the young generation. If an object begins at that word, the entry is the object's copy,
    /// `SEEN` of `collect/graph.rs`, or 0. The table is empty before the first copy.
    pub(crate) table: Vec<usize>,
    /// The objects that have copies.
    pub(crate) objects: Vec<Value>,
}

impl Forwards {
    /// Writes the address of each copy into the header of its original, as a collection of the young generation does when it moves an
    /// object.
    ///
    /// # Safety
    /// A collection of the young generation must begin with this call.
    pub unsafe fn leave(&mut self, nursery: usize) {
        for object in &self.objects {
            let copy = self.table[(object.0 - nursery) / WORD];
            // SAFETY: this is an object of the young generation, and after this write only the collector reads the object's header.
            unsafe { *(object.0 as *mut u64) = copy as u64 };
        }
    }

    /// Clears the entries. The caller must have evacuated the young generation.
    pub fn forget(&mut self, nursery: usize) {
        for object in self.objects.drain(..) {
            self.table[(object.0 - nursery) / WORD] = 0;
        }
    }
}
