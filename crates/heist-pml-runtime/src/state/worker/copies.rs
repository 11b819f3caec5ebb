//! The copies of young objects that promotion has made.

use crate::value::object::{Value, WORD};

/// A table of the most recent copies. With this table, a promotion copies an object only once, even if the program stores it in many
/// places. Compiled code uses the table, too.
#[derive(Default)]
#[repr(transparent)]
pub struct Copies([Entry; Copies::ENTRIES]);

/// An object, and its copy.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Entry {
    object: usize,
    copy: usize,
}

impl Copies {
    /// Number of entries. The entry of an object has the index `object / WORD % ENTRIES`.
    pub const ENTRIES: usize = 32;
    /// Number of bytes of an entry. The object is its first word.
    pub const ENTRY: usize = size_of::<Entry>();
    /// Offset of the copy in an entry.
    pub const COPY: usize = std::mem::offset_of!(Entry, copy);

    fn place(object: Value) -> usize {
        object.0 / WORD % Copies::ENTRIES
    }

    pub(crate) fn get(&self, object: Value) -> Option<Value> {
        let entry = self.0[Copies::place(object)];
        (entry.object == object.0).then_some(Value(entry.copy))
    }

    pub(crate) fn put(&mut self, object: Value, copy: Value) {
        self.0[Copies::place(object)] = Entry {
            object: object.0,
            copy: copy.0,
        };
    }
}

/// For the promotion that copies graphs of any size (`collect/graph.rs`): the copies of all young objects of a worker.
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

    /// Returns the copy of a young object of the worker, if there is one.
    pub(crate) fn copy_of(&self, nursery: usize, object: Value) -> Option<Value> {
        // In a flat heap, the table is empty, and objects are elsewhere.
        let entry = *self.table.get(object.0.wrapping_sub(nursery) / WORD)?;
        (entry != 0).then_some(Value(entry))
    }

    /// Clears the entries. The caller must have evacuated the young generation.
    pub fn forget(&mut self, nursery: usize) {
        for object in self.objects.drain(..) {
            self.table[(object.0 - nursery) / WORD] = 0;
        }
    }
}
