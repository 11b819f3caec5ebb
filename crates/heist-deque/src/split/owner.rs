//! The owner's side: push, pop, expose, reclaim, rewind.

use super::range::Range;
use super::{Sharing, Slot, SplitDeque, Words, orders};
use crate::shim::{Ordering, light_fence};

/// The result of the slow path of a pop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Popped {
    /// The frame is private again, and the tail points to its slot. The owner may run the frame.
    Mine,
    /// A thief has the frame, and the tail is one above the frame's slot. So frames that the owner pushes
    /// while it waits do not overwrite this slot. End the wait with [`SplitDeque::retire_stolen`].
    Stolen,
}

impl<T> Words<T> {
    /// Puts `item` into the next slot. Takes O(1), without a read-modify-write, a fence or a bound
    /// check.
    ///
    /// # Safety
    /// Only the owner may call this function, and the deque must have a free slot.
    #[inline(always)]
    pub unsafe fn push(&self, item: *mut T) {
        let tail = self.tail.load(Ordering::Relaxed);
        // SAFETY: the tail points into the slots, with room by this function's contract.
        let slot: &Slot<T> = unsafe { &*tail };
        // Relaxed: the Release store of the tail, or the Release CAS of the exposure, publishes the slot.
        slot.store(item, Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(1), orders::TAIL_PUSH);
    }

    /// Pops the newest frame. Returns true if the owner gets the frame. Returns false if the frame's slot is below the return
    /// barrier. In this case [`SplitDeque::pop_slow`] must decide.
    ///
    /// # Safety
    /// Only the owner may call this function. The deque must not be empty.
    #[inline(always)]
    #[must_use]
    pub unsafe fn pop(&self) -> bool {
        let mine = self.tail.load(Ordering::Relaxed).wrapping_sub(1);
        self.tail.store(mine, orders::TAIL_POP);
        // This fence is the owner's half of the Dekker argument: it orders the store above before the load below. The thief's half is the
        // heavy fence in `SplitDeque::force_some`.
        light_fence(orders::LIGHT_FENCE);
        self.barrier.load(Ordering::Relaxed) <= mine
    }

    /// Returns the next free slot, for comparing heights. The value is exact for the owner. For other threads the value may be out of date.
    #[inline(always)]
    pub fn tail(&self) -> *mut Slot<T> {
        self.tail.load(Ordering::Relaxed)
    }
}

impl<T> SplitDeque<T> {
    /// Returns the number of slots that the owner uses, including slots of stolen frames below its newest
    /// frames. The value is exact for the owner. For other threads the value may be out of date.
    pub fn height(&self) -> u32 {
        self.index_of(self.words().tail())
    }

    /// Returns the frame that the owner has just popped.
    ///
    /// # Safety
    /// Only the owner may call this function, just after a pop that succeeded.
    pub unsafe fn popped(&self) -> *mut T {
        // SAFETY: the tail is at the slot that the owner has popped.
        let slot: &Slot<T> = unsafe { &*self.words().tail() };
        // Relaxed: the owner itself wrote the slot.
        slot.load(Ordering::Relaxed)
    }

    /// Returns the item in the slot below the tail, if there is one. A thief may have taken this item
    /// already: only a pop decides.
    ///
    /// # Safety
    /// Only the owner may call this function.
    pub unsafe fn newest(&self) -> Option<*mut T> {
        let below = self.height().checked_sub(1)?;
        // SAFETY: the slot is below the tail, and so in the array.
        let slot: &Slot<T> = unsafe { &*self.place(below) };
        // Relaxed: the owner itself wrote the slot.
        Some(slot.load(Ordering::Relaxed))
    }

    /// Decides a pop that the return barrier has stopped. Lowers the split and the barrier, so that about half of the public frames stay
    /// public. So later thieves find public frames, and the owner's next pops are fast. Takes O(1) plus the wait for a forcing thief, if a
    /// forcing thief holds the lock.
    ///
    /// # Safety
    /// Only the owner may call this function, right after [`Words::pop`] returned false.
    #[cold]
    pub unsafe fn pop_slow(&self) -> Popped {
        if self.sharing.is_open() {
            // SAFETY: by contract the caller is the owner, and its `pop` has just returned false.
            return unsafe { self.pop_open() };
        }
        let _held = self.lock.lock();
        // Relaxed: all uses are under the lock.
        self.interrupted.store(false, Ordering::Relaxed);
        let mine = self.height();
        let mut range = self.load_range();
        loop {
            if range.split <= mine {
                // The slot is not public. Either an exposure raised the barrier above the slot but did not publish the slot, or there is no
                // asymmetric fence and every pop comes here.
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
                    // Lower the barrier only after the split, because the barrier must never be below the split.
                    self.set_barrier(kept.split);
                    return Popped::Mine;
                }
                Err(now) => range = Range::unpack(now),
            }
        }
    }

    /// Returns true if pops take the lock because there is no asymmetric fence. The value is exact for the owner. For other threads the
    /// value may be out of date.
    #[inline]
    pub fn lacks_fence(&self) -> bool {
        self.sharing == Sharing::SplitLocked && !self.is_fenced()
    }

    /// Turns a deque that was made as [`Sharing::SplitLocked`] into a deque of [`Sharing::Split`]. From now on pops do not take the lock,
    /// and a [`force`](Self::force) uses its heavy fence. Takes O(1) plus the wait for the lock. Has no effect on deques with another
    /// protocol.
    ///
    /// # Safety
    /// Only the owner may call this function, between two pops. The contract of [`Sharing::Split`] applies: the heavy fence of every
    /// [`force`](Self::force) that happens after this call must order all threads of the process.
    #[cold]
    pub unsafe fn gain_fence(&self) {
        if !self.lacks_fence() {
            return;
        }
        // The mutant changes the rules while a force that relies on the old rules is in progress.
        let _held = cfg!(not(heist_mutant = "split_gain_lock")).then(|| self.lock.lock());
        // Relaxed: thieves read the flag under the lock. Set the flag first, because `set_barrier` reads it.
        self.fenced.store(true, Ordering::Relaxed);
        self.set_barrier(self.load_range().split);
    }

    /// Puts the tail above the slot whose frame the owner could not pop.
    pub(super) fn step_over(&self) {
        let words = self.words();
        words
            .tail
            .store(words.tail().wrapping_add(1), orders::TAIL_POP);
    }

    /// Ends the wait for a stolen frame: the slot is free again.
    ///
    /// # Safety
    /// Only the owner may call this function, after [`Popped::Stolen`]. Before the call, the thief must be done with the frame, and the
    /// owner must have popped all frames that it pushed after that result.
    pub unsafe fn retire_stolen(&self) {
        // SAFETY: the frame's thief is done, so it has read the slot, and by contract the caller is
        // the owner.
        unsafe { self.rewind_read(self.height() - 1) }
    }

    /// Lowers the head, the split and the tail to `floor`, when no frame is left at or above `floor`.
    ///
    /// # Safety
    /// Only the owner may call this function. Every slot at or above `floor` must have been claimed, and the claiming thief must have read
    /// the slot. (A thief has read a slot if the work in it is done.)
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
        // This code stores the range without a CAS: the range is empty, so no claim can change it, and other writers need the lock.
        self.range
            .store(Range::empty_at(floor).pack(), orders::REWIND);
        self.words()
            .tail
            .store(self.base.wrapping_add(floor as usize), orders::TAIL_POP);
        self.set_barrier(floor);
    }

    /// Returns true if every slot has been popped or claimed. The owner calls this under the lock.
    fn is_claimed(&self) -> bool {
        let range = self.load_range();
        (self.sharing.is_open() || range.head == range.split) && range.head == self.height()
    }

    /// Moves the top of an empty deque down to slot `floor`, unless a thief must still read a slot that it claimed. Returns true if the top
    /// of the deque is at `floor` or below it now.
    ///
    /// # Safety
    /// Only the owner may call this function. All claims must have been made by
    /// [`claim_batch`](Self::claim_batch).
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

    /// Makes the older half (rounded up) of the private frames public. Returns the number of these frames.
    ///
    /// # Safety
    /// Only the owner may call this function.
    pub unsafe fn expose_half(&self) -> u32 {
        // SAFETY: by contract the caller is the owner.
        unsafe { self.expose(|private| private.div_ceil(2)) }
    }

    /// Makes private frames public. A signal handler on the owner's thread calls this function, and may have interrupted the owner at any
    /// point. `share` gets the number of private frames, and returns how many of them become public. Returns the number of frames made
    /// public: 0 if the owner is in a call that holds the lock. This function sees all effects that precede the signal in the owner's
    /// program order. If the signal interrupted a pop before its comparison with the barrier, the pop sees the new barrier. If the signal
    /// came after the comparison, the tail shows that the slot is taken.
    ///
    /// # Safety
    /// Only the owner's thread may call this.
    pub unsafe fn expose_interrupting(&self, share: impl Fn(u32) -> u32) -> u32 {
        match self.lock.try_lock() {
            Some(_held) => self.expose_locked(share),
            None => 0,
        }
    }

    /// Makes all private frames public, for an owner that is about to block. Returns the number of these frames.
    ///
    /// # Safety
    /// Only the owner may call this function.
    pub unsafe fn expose_all(&self) -> u32 {
        // SAFETY: by contract the caller is the owner.
        unsafe { self.expose(|private| private) }
    }

    /// Makes the oldest private frames public, and returns their number. `share` gets the number of private frames,
    /// and returns how many of them become public: at least one, at most all.
    ///
    /// # Safety
    /// Only the owner may call this function.
    pub unsafe fn expose(&self, share: impl Fn(u32) -> u32) -> u32 {
        // The lock costs more than all other steps of this function. This check needs no lock: only the owner changes the tail and lowers
        // the split, so the split that this check reads may be too low, but never too high.
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

    /// Raises barrier and split to `split`. The caller holds the lock. The slots below `split` must be filled, and the owner must not write
    /// to them after the call.
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
                // A thief claimed a frame meanwhile, so try again. Only the holder of the lock changes the split.
                Err(word) => now = Range::unpack(word),
            }
        }
    }
}
