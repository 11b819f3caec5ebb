//! The circular array. The slots are plain cells, and the number of slots is a power of two.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::shim::UnsafeCell;

/// A buffer with the slots of the deque. A buffer does not record which slots hold items, so it drops no items.
pub(super) struct Buffer<T> {
    /// The slots; their number is a power of two.
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
}

impl<T> Buffer<T> {
    pub(super) fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two());
        let free = || UnsafeCell::new(MaybeUninit::uninit());
        Buffer {
            slots: (0..capacity).map(|_| free()).collect(),
        }
    }

    /// Returns an empty buffer of twice this buffer's size.
    ///
    /// # Panics
    /// Panics if the number of slots overflows, or if the slots take more bytes than an allocation can have.
    pub(super) fn twice(&self) -> Self {
        let capacity = self.slots.len().checked_mul(2);
        Self::new(capacity.expect("deque capacity overflow"))
    }

    pub(super) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Returns the slot of an index. Indices that differ by a multiple of the capacity have the
    /// same slot.
    #[inline(always)]
    fn slot(&self, index: u64) -> &UnsafeCell<MaybeUninit<T>> {
        let place = (index & (self.capacity() - 1)) as usize;
        // SAFETY: the length is a power of two (`new`), so the mask keeps `place` below it.
        unsafe { self.slots.get_unchecked(place) }
    }

    /// Puts an item into the slot of `index`.
    ///
    /// # Safety
    /// No other thread may use the slot during this call. An item that is still in the slot is lost.
    #[inline(always)]
    pub(super) unsafe fn put(&self, index: u64, item: T) {
        self.slot(index).with_mut(|slot| {
            // SAFETY: by contract only the caller uses the slot.
            unsafe { slot.write(MaybeUninit::new(item)) };
        });
    }

    /// Takes the item out of the slot of `index`.
    ///
    /// # Safety
    /// The slot must hold an item whose `put` happened before this call. No thread may write to the slot during this call, and no thread
    /// may take the item again.
    #[inline(always)]
    pub(super) unsafe fn take(&self, index: u64) -> T {
        // Declare a write, although this code only reads: then a model reports two threads that take the same item at the same time.
        self.slot(index).with_mut(|slot| {
            // SAFETY: by contract the slot holds an item, which the caller owns from now on.
            unsafe { slot.read().assume_init() }
        })
    }

    /// Moves the items of `indices` to the slots of these indices in `target`.
    ///
    /// # Safety
    /// The contract of [`take`](Self::take) applies to each index, and no other thread may use `target` during this call.
    pub(super) unsafe fn move_to(&self, target: &Self, indices: Range<u64>) {
        for index in indices {
            // SAFETY: this function's contract includes the contracts of `take` and `put`.
            unsafe { target.put(index, self.take(index)) };
        }
    }
}
