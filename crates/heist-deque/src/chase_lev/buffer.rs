//! The circular array: a power of two of atomic words, and the array it replaced.

use std::ptr::null_mut;

use crate::shim::{AtomicPtr, Ordering};

/// One generation of the deque's slots. Generations form a list from the newest to the oldest, and
/// all of them live until the deque drops: a thief may have read the pointer to any of them.
pub(super) struct Buffer {
    /// As many as a power of two.
    slots: Box<[AtomicPtr<()>]>,
    older: *mut Buffer,
}

impl Buffer {
    /// A buffer of `capacity` slots, to be freed with [`free_all`](Self::free_all).
    pub(super) fn first(capacity: usize) -> *mut Buffer {
        Self::allocate(capacity, null_mut())
    }

    fn allocate(capacity: usize, older: *mut Buffer) -> *mut Buffer {
        assert!(capacity.is_power_of_two());
        let slots = (0..capacity).map(|_| AtomicPtr::new(null_mut())).collect();
        Box::into_raw(Box::new(Buffer { slots, older }))
    }

    /// A buffer of twice the size with the items of `live`, on top of the list `this`.
    ///
    /// # Safety
    /// `this` must be valid. Only the owner may call this, as it alone writes slots.
    pub(super) unsafe fn grow(this: *mut Buffer, live: std::ops::Range<u64>) -> *mut Buffer {
        // SAFETY: valid by contract; only shared references to buffers exist until they are freed.
        let old = unsafe { &*this };
        let capacity = old.slots.len().checked_mul(2);
        let new = Self::allocate(capacity.expect("deque capacity overflow"), this);
        // SAFETY: just allocated.
        let target = unsafe { &*new };
        for index in live {
            // Relaxed on both sides: the owner wrote the old slots, and the store of the buffer's
            // address publishes the new ones.
            let word = old.slot(index).load(Ordering::Relaxed);
            target.slot(index).store(word, Ordering::Relaxed);
        }
        new
    }

    /// Frees a whole list.
    ///
    /// # Safety
    /// `newest` must be the head of a list that nobody uses any more.
    pub(super) unsafe fn free_all(newest: *mut Buffer) {
        let mut next = newest;
        while !next.is_null() {
            // SAFETY: each node came from `Box::into_raw` in `allocate` and is on one list only.
            next = unsafe { Box::from_raw(next) }.older;
        }
    }

    pub(super) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The slot of an index, which is shared by all indices that differ by a multiple of the
    /// capacity.
    #[inline(always)]
    pub(super) fn slot(&self, index: u64) -> &AtomicPtr<()> {
        let place = (index & (self.capacity() - 1)) as usize;
        // SAFETY: the length is a power of two (`allocate`), so the mask keeps `place` below it.
        unsafe { self.slots.get_unchecked(place) }
    }
}
