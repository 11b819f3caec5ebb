//! The slots of old objects that refer to young objects, and functions that check the age of an object.

use crate::memory::heap::YOUNG_SPAN;
use crate::memory::uses::GRANULE;
use crate::state::worker::Worker;
use crate::value::object::{Value, WORD};

impl Worker {
    /// Returns true if a value is a young object.
    #[inline]
    #[must_use]
    pub fn is_young(&self, value: Value) -> bool {
        self.world.is_young(value)
    }

    /// Returns true if a value is an object of the worker's own young generation.
    #[inline]
    pub(crate) fn is_own(&self, value: Value) -> bool {
        value.0.wrapping_sub(self.nursery) < YOUNG_SPAN && !value.is_immediate()
    }

    /// Returns the promoted copy of a value, if the value is an object of this worker that was copied since
    /// the last collection.
    #[inline]
    pub(crate) fn copy_of(&self, value: Value) -> Option<Value> {
        self.is_own(value).then(|| self.copies.get(value))?
    }

    /// Adds an old slot that refers to a young object to the list of remembered slots.
    ///
    /// # Safety
    /// `slot` must be a slot of an object that is not young.
    #[inline]
    pub(crate) unsafe fn remember(&mut self, slot: *mut usize) {
        // SAFETY: the list always has room for one more entry. Code that fills the list, here and in compiled code, enlarges the list
        // immediately.
        unsafe {
            *self.remembered = slot as usize;
            self.remembered = self.remembered.add(1);
        }
        if self.remembered == self.remembered_end {
            self.grow_remembered();
        }
    }

    /// Makes room for more remembered slots. Requests a collection if there are many remembered slots.
    pub fn grow_remembered(&mut self) {
        let used = self.remembered_count();
        if used >= 1 << 16 {
            // SAFETY: the worker exists while `self` is borrowed.
            unsafe { Worker::ring(self) };
        }
        self.remembered_slots
            .resize(2 * self.remembered_slots.len(), 0);
        let range = self.remembered_slots.as_mut_ptr_range();
        // SAFETY: the buffer is twice as large as before, so `used` is within it.
        self.remembered = unsafe { range.start.add(used) };
        self.remembered_end = range.end;
    }

    pub(crate) fn remembered_count(&self) -> usize {
        (self.remembered as usize - self.remembered_slots.as_ptr() as usize) / WORD
    }

    /// Returns true if old objects may refer to young objects of the worker.
    #[inline]
    pub(crate) fn remembers(&self) -> bool {
        self.remembered_count() > 0 || !self.remembered_objects.is_empty()
    }

    /// Returns the old slots that may refer to young objects of the worker.
    pub(crate) fn remembered(&self) -> &[usize] {
        &self.remembered_slots[..self.remembered_count()]
    }

    /// Returns true if the worker has so many remembered slots that a collection is due.
    pub(crate) fn remembered_is_full(&self) -> bool {
        self.remembered_count() >= 1 << 16
    }

    /// Returns the largest size in bytes that the heap has had.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.world.heap().peak * GRANULE + YOUNG_SPAN
    }
}
