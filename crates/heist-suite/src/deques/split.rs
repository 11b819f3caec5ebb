//! The owner's end of the split deque, of which only the private part is used.

use std::ptr::without_provenance_mut;
use std::sync::atomic::AtomicPtr;

use heist_deque::split::{Popped, Sharing, Slot, SplitDeque, Words};

use super::solo::Ends;

/// A split deque without thieves: nothing is ever public, and every pop takes its fast path. Its push and pop check
/// neither for room nor for emptiness, as the runtime needs neither.
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
            // SAFETY: words and slots stay in place behind pointers until this value drops, and no other deque
            // uses them.
            deque: unsafe { SplitDeque::new(words, base, capacity, Sharing::Split) },
            words,
            slots,
        }
    }

    #[inline(always)]
    fn words(&self) -> &Words<()> {
        // SAFETY: freed by `drop` only, and no code borrows it mutably before.
        unsafe { &*self.words }
    }
}

impl Drop for Split {
    fn drop(&mut self) {
        // SAFETY: from `Box::into_raw` in `new`; the deque is not used any more.
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
        // SAFETY: `&mut self` is the only owner, and something it pushed is left by contract.
        if !unsafe { self.words().pop() }
            // SAFETY: the owner, after a pop that returned false.
            && unsafe { self.deque.pop_slow() } == Popped::Stolen
        {
            return None;
        }
        // SAFETY: the owner, after a pop that succeeded.
        Some(unsafe { self.deque.popped() }.addr())
    }
}

/// [`Split`] with the two checks that a deque by itself needs.
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
        // SAFETY: there is room, as just seen.
        unsafe { self.0.put(item) };
    }

    #[inline(always)]
    unsafe fn take(&mut self) -> Option<usize> {
        if self.0.words().tail() == self.0.deque.place(0) {
            return None;
        }
        // SAFETY: something is left, as just seen.
        unsafe { self.0.take() }
    }
}
