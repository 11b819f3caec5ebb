//! The owner's items: a circular array that grows and shrinks. No thread except the owner uses the ring.

use std::mem::MaybeUninit;
use std::ptr;

/// The number of slots that the first push allocates. A ring never shrinks below this number. The number 64 is from section 3.3.1 of
/// Rainey's thesis: its programs needed no more slots. In models the number is 2, so that the ring grows and wraps within a few steps.
pub(super) const CAPACITY: usize = if cfg!(loom) { 2 } else { 64 };

/// A double-ended queue whose operations take constant time.
///
/// Items have consecutive indices that wrap at the width of `usize`. The item of index `i` is in slot `i` modulo the number of slots,
/// which is 0 or a power of two. The indices keep increasing, so a full ring differs from an empty one, and the ring need not keep a slot
/// free.
pub(super) struct Ring<T> {
    slots: Box<[MaybeUninit<T>]>,
    /// The index of the oldest item.
    oldest: usize,
    /// The index above the index of the newest item.
    next: usize,
    /// The number of items below which the ring frees half of its slots.
    few: usize,
}

/// The operations of a ring have the same results as those of a `VecDeque`.
impl<T> Ring<T> {
    /// Creates a ring without slots or memory.
    pub(super) fn new() -> Self {
        Ring {
            slots: Box::new_uninit_slice(0),
            oldest: 0,
            next: 0,
            few: 0,
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.next.wrapping_sub(self.oldest)
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.oldest
    }

    #[cfg(all(test, not(loom)))]
    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Returns the slot of an index.
    ///
    /// # Safety
    /// The ring must have slots.
    #[inline(always)]
    unsafe fn slot(&mut self, index: usize) -> &mut MaybeUninit<T> {
        let place = index & self.slots.len().wrapping_sub(1);
        // SAFETY: the number of slots is a power of two, because `resize` makes no other number and the caller excludes 0. So the mask
        // keeps `place` below the number of slots.
        unsafe { self.slots.get_unchecked_mut(place) }
    }

    /// Adds an item, which becomes the newest item.
    ///
    /// # Panics
    /// Panics if the number of slots would overflow a `usize`.
    #[inline(always)]
    pub(super) fn push(&mut self, item: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        // SAFETY: the ring has slots now. If it had no slots before, the number of items equalled the number of slots (0), so the ring has
        // grown.
        unsafe { self.slot(self.next) }.write(item);
        self.next = self.next.wrapping_add(1);
    }

    /// Takes the newest item.
    #[inline(always)]
    pub(super) fn pop_newest(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.next = self.next.wrapping_sub(1);
        // SAFETY: there was an item, so there are slots. Either `push` has written this slot, or `resize` has moved an item of `push` into
        // it. The slot's index has just left the range of used indices, so no code reads the item again.
        let item = unsafe { self.slot(self.next).assume_init_read() };
        self.give_back();
        Some(item)
    }

    /// Takes the oldest item.
    #[inline(always)]
    pub(super) fn pop_oldest(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let oldest = self.oldest;
        self.oldest = oldest.wrapping_add(1);
        // SAFETY: there was an item, so there are slots. `push` or `resize` has written this slot. The slot's index has just left the range
        // of used indices, so no code reads the item again.
        let item = unsafe { self.slot(oldest).assume_init_read() };
        self.give_back();
        Some(item)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let twice = self.slots.len().checked_mul(2);
        self.resize(twice.expect("deque capacity overflow").max(CAPACITY));
    }

    /// Frees half of the slots if less than a quarter of them is used. After shrinking, as after growing, about half of the slots are free.
    /// So the size does not change again before a quarter of the slots has been filled or emptied. An operation therefore moves O(1) items,
    /// amortised.
    #[inline(always)]
    fn give_back(&mut self) {
        if self.len() < self.few {
            self.shrink();
        }
    }

    #[cold]
    #[inline(never)]
    fn shrink(&mut self) {
        self.resize(self.slots.len() / 2);
    }

    /// Moves the items to `capacity` new slots. `capacity` must be a power of two, and at least the number of items.
    fn resize(&mut self, capacity: usize) {
        assert!(capacity.is_power_of_two() && self.len() <= capacity);
        let mut slots = Box::new_uninit_slice(capacity);
        let len = self.len();
        let (older, newer) = self.items();
        let target: *mut MaybeUninit<T> = slots.as_mut_ptr();
        // SAFETY: the two runs together have `len` slots, and the target has at least as many slots. The target is new, so it overlaps
        // neither run. The code moves the items, because it forgets the old slots below.
        unsafe {
            ptr::copy_nonoverlapping(older.as_ptr(), target, older.len());
            ptr::copy_nonoverlapping(newer.as_ptr(), target.add(older.len()), newer.len());
        }
        self.slots = slots;
        self.oldest = 0;
        self.next = len;
        self.few = if capacity > CAPACITY { capacity / 4 } else { 0 };
    }

    /// Returns the slots in use as two runs: the older items, and the items after the wrap-around.
    fn items(&mut self) -> (&mut [MaybeUninit<T>], &mut [MaybeUninit<T>]) {
        let len = self.len();
        let start = self.oldest & self.slots.len().wrapping_sub(1);
        let (round, older) = self.slots.split_at_mut(start);
        let straight = len.min(older.len());
        (&mut older[..straight], &mut round[..len - straight])
    }
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Ring<T> {
    /// Drops the remaining items, oldest first. If the drop of an item panics, the remaining items are still dropped.
    fn drop(&mut self) {
        struct Items<'a, T>(&'a mut [MaybeUninit<T>]);
        impl<T> Drop for Items<'_, T> {
            fn drop(&mut self) {
                let items: *mut [MaybeUninit<T>] = &raw mut *self.0;
                // SAFETY: `Ring::items` gives slots that hold items, and the ring is not used after
                // this.
                unsafe { ptr::drop_in_place(items as *mut [T]) }
            }
        }
        let (older, newer) = self.items();
        // `_older` is dropped first. `_newer` is dropped even if the drop of an item of `_older` panics.
        let _newer = Items(newer);
        let _older = Items(older);
    }
}
