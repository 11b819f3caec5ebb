//! The circular array. Each array has a link to the array that it replaced.

use std::ptr::null_mut;

use crate::item::Item;
use crate::shim::{AtomicPtr, Ordering};
use crate::slots::{Image, Slots};

/// One generation of a deque's slots. Generations form a list from the newest to the oldest. All generations live until the deque is
/// dropped, because a thief may have read the pointer to any generation.
pub(crate) struct Ring<T> {
    /// The slots; their number is a power of two.
    slots: Slots<T>,
    mask: u64,
    older: *mut Ring<T>,
}

impl<T: Item> Ring<T> {
    /// Creates a ring of `capacity` slots, which [`free_all`](Self::free_all) must free.
    pub(crate) fn first(capacity: usize) -> *mut Self {
        Self::allocate(capacity, null_mut())
    }

    fn allocate(capacity: usize, older: *mut Self) -> *mut Self {
        assert!(capacity.is_power_of_two());
        let (slots, mask) = (Slots::new(capacity), capacity as u64 - 1);
        Box::into_raw(Box::new(Ring { slots, mask, older }))
    }

    /// Creates a ring of twice the size, copies the items of indices `live` into the new ring, and puts the new ring at the head of the
    /// list `this`.
    ///
    /// # Safety
    /// `this` must be valid. Only the owner may call this function, because only the owner writes slots.
    pub(crate) unsafe fn grow(this: *mut Self, live: std::ops::Range<u64>) -> *mut Self {
        // SAFETY: `this` is valid by contract, and until rings are freed, all references to rings are shared references.
        let old = unsafe { &*this };
        let capacity = old.slots.len().checked_mul(2);
        let new = Self::allocate(capacity.expect("deque capacity overflow"), this);
        // SAFETY: the ring was just allocated.
        let target = unsafe { &*new };
        for index in live {
            // The loads and stores are Relaxed: the owner itself wrote the old slots, and the store of the ring's address publishes the new
            // slots. SAFETY: the mask keeps the slots below the capacities.
            unsafe {
                let image = old.load(index, Ordering::Relaxed);
                target
                    .slots
                    .store(target.place(index), image, Ordering::Relaxed);
            }
        }
        new
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.mask + 1
    }

    /// Returns the slot of an index. Indices that differ by a multiple of the capacity have the
    /// same slot.
    #[inline(always)]
    fn place(&self, index: u64) -> usize {
        (index & self.mask) as usize
    }

    /// Puts an item into the slot of `index`, and stores each word with the given memory order.
    #[inline(always)]
    pub(crate) fn store(&self, index: u64, item: T, order: Ordering) {
        // SAFETY: the mask keeps the slot below the capacity.
        unsafe { self.slots.store(self.place(index), Image::of(item), order) }
    }

    /// Returns the contents of the slot of `index`, and reads each word with the given memory order.
    #[inline(always)]
    pub(crate) fn load(&self, index: u64, order: Ordering) -> Image<T> {
        // SAFETY: the mask keeps the slot below the capacity.
        unsafe { self.slots.load(self.place(index), order) }
    }
}

impl<T> Ring<T> {
    /// Frees a whole list, but drops no items.
    ///
    /// # Safety
    /// `newest` must be the head of a list that no thread uses any more.
    pub(crate) unsafe fn free_all(newest: *mut Self) {
        let mut next = newest;
        while !next.is_null() {
            // SAFETY: each node came from `Box::into_raw` in `allocate` and is on one list only, which no thread uses any more.
            next = unsafe { Box::from_raw(next) }.older;
        }
    }
}

/// The newest ring of a list. Dropping this value frees the whole list.
pub(crate) struct Rings<T> {
    newest: AtomicPtr<Ring<T>>,
}

impl<T: Item> Rings<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Rings {
            newest: AtomicPtr::new(Ring::first(capacity)),
        }
    }

    /// Loads the newest ring with the given memory order.
    #[inline(always)]
    pub(crate) fn newest(&self, order: Ordering) -> &Ring<T> {
        // SAFETY: the pointer is never null. No ring is freed or borrowed mutably before `drop`, which has exclusive access, so no ring is
        // freed while `self` is borrowed. The fields are visible if the load is Acquire, or if the caller is the owner.
        unsafe { &*self.newest.load(order) }
    }

    /// Replaces the newest ring by a ring of twice the size, for the owner.
    ///
    /// # Safety
    /// Only the owner may call this function, because only the owner writes slots.
    pub(crate) unsafe fn grow(&self, live: std::ops::Range<u64>, order: Ordering) {
        // Relaxed: only the caller writes this pointer. SAFETY: the newest ring is valid as long as the list; the caller is the owner.
        let larger = unsafe { Ring::grow(self.newest.load(Ordering::Relaxed), live) };
        self.newest.store(larger, order);
    }
}

impl<T> Drop for Rings<T> {
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        // SAFETY: the only owner of the list is being
        // dropped, so no thread uses the list any more.
        unsafe { Ring::free_all(self.newest.load(Ordering::Relaxed)) }
    }
}
