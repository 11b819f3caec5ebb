//! The owner's end of the split deque, for workloads that use only its private part.

use std::ptr::without_provenance_mut;
use std::sync::atomic::AtomicPtr;

use heist_deque::split::{Popped, Sharing, Slot, SplitDeque, Words};

use super::solo::Ends;

/// A split deque without thieves: no item is ever public, and every pop takes its fast path. A push does not check for room, and a pop
/// does not check for emptiness, because the runtime does not need these checks.
pub(super) struct Split {
    deque: SplitDeque<()>,
    words: *mut Words<()>,
    slots: Vec<Slot<()>>,
}

impl Split {
    pub(super) fn new(capacity: usize) -> Self {
        let mut slots: Vec<Slot<()>> = (0..capacity).map(|_| AtomicPtr::default()).collect();
        let base = slots.as_mut_ptr();
        let capacity = u32::try_from(capacity).expect("at most 2^32 slots");
        let words = Box::into_raw(Box::new(Words::at(base)));
        Split {
            // SAFETY: this value owns words and slots on the heap. So words and slots stay in place until this value is dropped, and no
            // other deque uses them.
            deque: unsafe { SplitDeque::new(words, base, capacity, Sharing::Split) },
            words,
            slots,
        }
    }

    #[inline(always)]
    fn words(&self) -> &Words<()> {
        // SAFETY: only `drop` frees the words, and no code borrows them mutably before.
        unsafe { &*self.words }
    }
}

impl Drop for Split {
    fn drop(&mut self) {
        // SAFETY: `new` got the pointer from `Box::into_raw`, and no thread uses the deque any more.
        drop(unsafe { Box::from_raw(self.words) });
    }
}

impl Ends for Split {
    fn room(&self) -> Option<usize> {
        Some(self.slots.len())
    }

    #[inline(always)]
    unsafe fn put(&mut self, item: usize) {
        // SAFETY: `&mut self` is the only owner, and there is a free slot by contract.
        unsafe { self.words().push(without_provenance_mut(item)) };
    }

    #[inline(always)]
    unsafe fn take(&mut self) -> Option<usize> {
        // SAFETY: `&mut self` is the only owner, and by contract the deque still contains an item that it pushed.
        if !unsafe { self.words().pop() }
            // SAFETY: this is the owner, whose pop has just returned false.
            && unsafe { self.deque.pop_slow() } == Popped::Stolen
        {
            return None;
        }
        // SAFETY: this is the owner, whose pop has just succeeded.
        Some(unsafe { self.deque.popped() }.addr())
    }
}

/// A [`Split`] with checks for room and for emptiness, which a deque outside of the runtime needs.
pub(super) struct CheckedSplit(Split);

impl CheckedSplit {
    pub(super) fn new(capacity: usize) -> Self {
        CheckedSplit(Split::new(capacity))
    }
}

impl Ends for CheckedSplit {
    fn room(&self) -> Option<usize> {
        self.0.room()
    }

    #[inline(always)]
    unsafe fn put(&mut self, item: usize) {
        let capacity = self.0.deque.capacity();
        assert!(
            self.0.words().tail() != self.0.deque.place(capacity),
            "full"
        );
        // SAFETY: the check above has found room.
        unsafe { self.0.put(item) };
    }

    #[inline(always)]
    unsafe fn take(&mut self) -> Option<usize> {
        if self.0.words().tail() == self.0.deque.place(0) {
            return None;
        }
        // SAFETY: the check above has found an item.
        unsafe { self.0.take() }
    }
}
