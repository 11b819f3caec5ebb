//! The owner's side: push, pop, expose, reclaim, rewind.

use super::range::Range;
use super::{Sharing, Slot, SplitDeque, Words, orders};
use crate::shim::{Ordering, light_fence};

/// Result of the slow path of a pop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Popped {
    /// The frame is private again and the tail is at it: the owner may run it.
    Mine,
    /// A thief has it, and the tail is one above it, so that frames pushed while the owner waits do
    /// not overwrite it. End the wait with [`SplitDeque::retire_stolen`].
    Stolen,
}

impl<T> Words<T> {
    /// Puts `item` into the next slot. O(1), no read-modify-write, no fence, no bound check.
    ///
    /// # Safety
    /// Only the owner may call this, and the deque must have a free slot.
    #[inline(always)]
    pub unsafe fn push(&self, item: *mut T) {
        let tail = self.tail.load(Ordering::Relaxed);
        // SAFETY: the tail points into the slots, with room by this function's contract.
        let slot: &Slot<T> = unsafe { &*tail };
        // Relaxed: the tail's Release, or the exposure's, publishes it.
        slot.store(item, Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(1), orders::TAIL_PUSH);
    }

    /// Takes the newest slot back. True: its frame is the owner's. Returns false if the return
    /// barrier is above it, and [`SplitDeque::pop_slow`] must decide.
    ///
    /// # Safety
    /// Only the owner may call this, and an item that it pushed must remain.
    #[inline(always)]
    #[must_use]
    pub unsafe fn pop(&self) -> bool {
        let mine = self.tail.load(Ordering::Relaxed).wrapping_sub(1);
        self.tail.store(mine, orders::TAIL_POP);
        // The owner's half of the Dekker argument: the store above before the load below. The
        // other half is the heavy fence in `SplitDeque::force`.
        light_fence(orders::LIGHT_FENCE);
        self.barrier.load(Ordering::Relaxed) <= mine
    }

    /// The next free slot, for comparing heights. The value is exact for the owner, and a racing view for others.
    #[inline(always)]
    pub fn tail(&self) -> *mut Slot<T> {
        self.tail.load(Ordering::Relaxed)
    }
}

impl<T> SplitDeque<T> {
    /// The number of slots that the owner has in use, including stolen ones below its newest
    /// frames. The value is exact for the owner, and a racing view for others.
    pub fn height(&self) -> u32 {
        self.index_of(self.words().tail())
    }

    /// Contents of the newest slot.
    ///
    /// # Safety
    /// Owner only, just after a pop that succeeded.
    pub unsafe fn popped(&self) -> *mut T {
        // SAFETY: the tail stands at the slot that the owner has popped.
        let slot: &Slot<T> = unsafe { &*self.words().tail() };
        // Relaxed: the owner wrote it.
        slot.load(Ordering::Relaxed)
    }

    /// The item in the slot below the tail, if there is one. A thief may have it already: only a pop decides.
    ///
    /// # Safety
    /// Owner only.
    pub unsafe fn newest(&self) -> Option<*mut T> {
        let below = self.height().checked_sub(1)?;
        // SAFETY: a slot below the tail, which is in the array.
        let slot: &Slot<T> = unsafe { &*self.place(below) };
        // Relaxed: the owner wrote it.
        Some(slot.load(Ordering::Relaxed))
    }

    /// Decides a pop that met the return barrier, and moves the barrier down to about half of the
    /// frames that are still public, so that later thieves steal for free and the owner's next pops
    /// are fast. O(1) plus the wait for a forcing thief, if one holds the lock.
    ///
    /// # Safety
    /// Owner only, right after [`Words::pop`] returned false.
    #[cold]
    pub unsafe fn pop_slow(&self) -> Popped {
        if self.sharing.is_open() {
            // SAFETY: by this function's contract.
            return unsafe { self.pop_open() };
        }
        let _held = self.lock.lock();
        // Relaxed: under the lock.
        self.interrupted.store(false, Ordering::Relaxed);
        let mine = self.height();
        let mut range = self.load_range();
        loop {
            if range.split <= mine {
                // Not public: the barrier had been raised for an exposure that then left it out,
                // or there is no asymmetric fence and every pop comes here.
                self.set_barrier(range.split);
                return Popped::Mine;
            }
            if range.head > mine {
                self.step_over();
                return Popped::Stolen;
            }
            let kept = Range {
                head: range.head,
                split: range.head + (mine - range.head) / 2,
            };
            match self.range.compare_exchange(
                range.pack(),
                kept.pack(),
                orders::RECLAIM,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    // Only after the split: the barrier must never be below it.
                    self.set_barrier(kept.split);
                    return Popped::Mine;
                }
                Err(now) => range = Range::unpack(now),
            }
        }
    }

    /// Returns true if pops take the lock because there is no asymmetric fence. The value is exact for the owner, and a racing view
    /// for others.
    #[inline]
    pub fn lacks_fence(&self) -> bool {
        self.sharing == Sharing::SplitLocked && !self.is_fenced()
    }

    /// From now on pops do not take the lock, and a [`force`](Self::force) uses its heavy fence: turns a deque made
    /// as [`Sharing::SplitLocked`] into one of [`Sharing::Split`]. O(1) plus the wait for the lock. No effect on
    /// others.
    ///
    /// # Safety
    /// Owner only, between a pop and the next. The contract of [`Sharing::Split`] applies: the heavy fence of every
    /// [`force`](Self::force) must order all threads of the process from now on, if the thief's call happens after
    /// this one.
    #[cold]
    pub unsafe fn gain_fence(&self) {
        if !self.lacks_fence() {
            return;
        }
        // The mutant changes the rules while a force that relies on the old ones is under way.
        let _held = cfg!(not(heist_mutant = "split_gain_lock")).then(|| self.lock.lock());
        // Relaxed, and first: thieves read it under the lock, and `set_barrier` here.
        self.fenced.store(true, Ordering::Relaxed);
        self.set_barrier(self.load_range().split);
    }

    /// Owner: puts the tail above the slot that it has failed to pop.
    pub(super) fn step_over(&self) {
        let words = self.words();
        words
            .tail
            .store(words.tail().wrapping_add(1), orders::TAIL_POP);
    }

    /// Ends the wait for a stolen frame: the slot is free again.
    ///
    /// # Safety
    /// Only for the owner, after [`Popped::Stolen`], once the thief is done with the frame and
    /// everything pushed since has been popped.
    pub unsafe fn retire_stolen(&self) {
        // SAFETY: the frame's thief is done, so it has read the slot; same owner.
        unsafe { self.rewind_read(self.height() - 1) }
    }

    /// Moves an all-claimed top of the deque down to `floor`.
    ///
    /// # Safety
    /// Owner only; every slot at or above `floor` was claimed, and its thief has read it (as it
    /// has if the work it found there is done).
    pub unsafe fn rewind_read(&self, floor: u32) {
        let _held = self.lock.lock();
        self.rewind_locked(floor);
    }

    fn rewind_locked(&self, floor: u32) {
        let head = self.head();
        debug_assert!(self.is_claimed() && floor <= head);
        let claims = self.claims.load(Ordering::Relaxed);
        self.claims.store(
            claims.wrapping_add(head - floor),
            Ordering::Relaxed, // Owner only.
        );
        if self.sharing.is_open() {
            self.rewind_open(floor);
            return;
        }
        // A store, not a CAS: the range is empty, so no claim can change it, and other writers
        // need the lock.
        self.range
            .store(Range::empty_at(floor).pack(), orders::REWIND);
        self.words()
            .tail
            .store(self.base.wrapping_add(floor as usize), orders::TAIL_POP);
        self.set_barrier(floor);
    }

    /// Owner, with the lock: whether every slot has been popped or claimed.
    fn is_claimed(&self) -> bool {
        let range = self.load_range();
        (self.sharing.is_open() || range.head == range.split) && range.head == self.height()
    }

    /// Moves an empty deque down to its slot `floor`, unless a thief must still read a slot that it claimed. True if
    /// the deque is not above that slot now.
    ///
    /// # Safety
    /// Owner only. All claims must have been made by [`claim_batch`](Self::claim_batch).
    pub unsafe fn rewind_empty(&self, floor: u32) -> bool {
        if self.height() <= floor {
            return true;
        }
        let _held = self.lock.lock();
        if !self.is_claimed() {
            return false;
        }
        let claims = self
            .claims
            .load(Ordering::Relaxed)
            .wrapping_add(self.head());
        if self.reads.load(orders::READS_LOAD) != claims {
            return false;
        }
        self.rewind_locked(floor);
        true
    }

    /// Makes the older half (rounded up) of the private frames public. Returns how many.
    ///
    /// # Safety
    /// Owner only.
    pub unsafe fn expose_half(&self) -> u32 {
        // SAFETY: owner only, by contract.
        unsafe { self.expose(|private| private.div_ceil(2)) }
    }

    /// For a signal handler that has interrupted the owner anywhere, on the owner's thread: makes frames
    /// public, as many as `share` returns for the number of private ones. Returns 0 also if the owner is in a
    /// call that holds the lock.
    ///
    /// It sees the owner's effects so far, in program order. If the owner was interrupted in a pop,
    /// before it has compared with the barrier, it sees the new one; after that, the tail shows that the
    /// slot is taken.
    ///
    /// # Safety
    /// On the owner's thread only.
    pub unsafe fn expose_interrupting(&self, share: impl Fn(u32) -> u32) -> u32 {
        match self.lock.try_lock() {
            Some(_held) => self.expose_locked(share),
            None => 0,
        }
    }

    /// Makes all private frames public: for an owner that is about to block.
    ///
    /// # Safety
    /// Owner only.
    pub unsafe fn expose_all(&self) -> u32 {
        // SAFETY: owner only, by contract.
        unsafe { self.expose(|private| private) }
    }

    /// Makes the oldest private frames public, as many as `share` returns for their number: at least one, at most all.
    /// Returns how many.
    ///
    /// # Safety
    /// Owner only.
    pub unsafe fn expose(&self, share: impl Fn(u32) -> u32) -> u32 {
        // The lock costs more than all else here. This check needs none: only the owner changes the tail and lowers the split, so
        // the split that it reads is at most too low.
        if self.sharing.is_open() || self.height() <= self.load_range().split {
            return 0;
        }
        let _held = self.lock.lock();
        self.expose_locked(share)
    }

    fn expose_locked(&self, share: impl Fn(u32) -> u32) -> u32 {
        if self.sharing.is_open() {
            return 0;
        }
        let tail = self.height();
        let split = self.load_range().split;
        if tail <= split {
            return 0;
        }
        let count = share(tail - split);
        self.publish(split + count);
        count
    }

    /// Raises barrier and split to `split`. Callers hold the lock and know that the slots below
    /// are filled and frozen.
    pub(super) fn publish(&self, split: u32) {
        self.set_barrier(split);
        let mut now = self.load_range();
        loop {
            let wider = Range {
                head: now.head,
                split,
            };
            match self.range.compare_exchange(
                now.pack(),
                wider.pack(),
                orders::EXPOSE,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                // A thief claimed meanwhile; the split itself is ours while we hold the lock.
                Err(word) => now = Range::unpack(word),
            }
        }
    }
}
