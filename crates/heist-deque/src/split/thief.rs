//! The thief's side: claim, force.

use super::range::Range;
use super::{SplitDeque, orders};
use crate::shim::Ordering;

/// The outcome of an attempt to claim one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim<T> {
    /// The thief has the frame. The owner waits for the thief at the slot of this index.
    Taken(*mut T, u32),
    /// No frame was public at or above the floor.
    Empty,
    /// Another thief or the owner took the frame first.
    Lost,
}

/// The result of a thief's [`force_some`](SplitDeque::force_some).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forced {
    /// The force has made frames public.
    Exposed,
    /// The owner moved the barrier first, so the fence was unnecessary.
    Beaten,
    /// The force did not begin, and ran no fence: there was no private frame, or another thread was moving the split.
    Untried,
}

/// A run of claimed slots that the thief has yet to read: see [`SplitDeque::claim_batch`].
#[derive(Debug)]
#[must_use = "what stands in slots that nobody reads is lost"]
pub struct Batch<'a, T> {
    deque: &'a SplitDeque<T>,
    first: u32,
    len: u32,
}

impl<T> Batch<'_, T> {
    /// Returns the number of slots in the batch.
    #[allow(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> u32 {
        self.len
    }
}

impl<T> SplitDeque<T> {
    /// Claims the oldest public frame if its index is at least `floor`. Takes one CAS.
    ///
    /// The thief reads the slot after the claim. The owner does not write to the slot between the claim and the end of the frame's work.
    /// So it is harmless if the head has returned to an old value (ABA).
    ///
    /// The caller must complete the returned frame: the frame's owner blocks until the frame is complete.
    pub fn claim(&self, floor: u32) -> Claim<T> {
        if self.sharing.is_open() {
            return match self.claim_open(floor, 1) {
                Ok((index, _)) => Claim::Taken(self.slot(index).load(Ordering::Relaxed), index),
                Err(true) => Claim::Lost,
                Err(false) => Claim::Empty,
            };
        }
        let range = self.load_range();
        if range.len() == 0 || range.head < floor {
            return Claim::Empty;
        }
        match self.take(range, 1) {
            // Relaxed: the claim orders this load.
            true => Claim::Taken(self.slot(range.head).load(Ordering::Relaxed), range.head),
            false => Claim::Lost,
        }
    }

    /// Claims up to half of the public slots, at most `most` and at least one. Claims exactly one slot if the protocol is
    /// [`Sharing::ChaseLev`](super::Sharing::ChaseLev). The caller must pass the batch to [`read_batch`](Self::read_batch) immediately.
    ///
    /// # Errors
    /// Returns `Err(true)` if the CAS failed because of another thread, and `Err(false)` if nothing was public.
    pub fn claim_batch(&self, most: u32) -> Result<Batch<'_, T>, bool> {
        if self.sharing.is_open() {
            let (first, len) = self.claim_open(0, most)?;
            return Ok(Batch {
                deque: self,
                first,
                len,
            });
        }
        let range = self.load_range();
        if range.len() == 0 {
            return Err(false);
        }
        let len = range.len().div_ceil(2).clamp(1, most.max(1));
        if self.take(range, len) {
            Ok(Batch {
                deque: self,
                first: range.head,
                len,
            })
        } else {
            Err(true)
        }
    }

    fn take(&self, range: Range, len: u32) -> bool {
        let rest = Range {
            head: range.head + len,
            split: range.split,
        };
        self.range
            .compare_exchange(range.pack(), rest.pack(), orders::CLAIM, Ordering::Relaxed)
            .is_ok()
    }

    /// Calls `each` with the frames of a batch, oldest first, and records that the owner may reuse the slots.
    ///
    /// # Panics
    /// Panics if the batch was claimed from another deque. If `each` panics, the items that it has
    /// not received are lost, and the deque never [rewinds](Self::rewind_empty) again.
    pub fn read_batch(&self, batch: Batch<'_, T>, mut each: impl FnMut(*mut T)) {
        assert!(
            std::ptr::eq(self, batch.deque),
            "a batch is read from the deque that it was claimed from"
        );
        for index in batch.first..batch.first + batch.len {
            // Relaxed: the claim before and READS_ADD after order this load.
            each(self.slot(index).load(Ordering::Relaxed));
        }
        self.reads.fetch_add(batch.len, orders::READS_ADD);
    }

    /// Makes the older half of the private frames public without the owner's help. Returns true if any frame
    /// was exposed. This function may return false although there are private frames: if another thread is exposing, or if the owner moved
    /// the barrier in the meantime.
    ///
    /// # Safety
    /// `heavy_fence` must make every thread of the process execute a full fence between the call of `heavy_fence` and its return, if the
    /// deque was made as [`Sharing::Split`](super::Sharing::Split) or has [gained](Self::gain_fence) its fence. Other deques do not call
    /// `heavy_fence`.
    pub unsafe fn force(&self, heavy_fence: impl FnOnce()) -> bool {
        // SAFETY: by contract `heavy_fence` orders every thread of the process, if the deque calls it at all.
        unsafe { self.force_some(|private| private.div_ceil(2), heavy_fence) == Forced::Exposed }
    }

    /// Makes private frames public by force. `share` gets the number of private frames, and returns how many of them become
    /// public: at least one, at most all.
    ///
    /// # Safety
    /// The contract of [`force`](Self::force) applies. The fence may be empty if the owner is stopped. In this case the caller must have
    /// seen that the owner is in no method of this deque or of its words. The owner must not continue before it has seen that this call has
    /// returned.
    pub unsafe fn force_some(
        &self,
        share: impl FnOnce(u32) -> u32,
        heavy_fence: impl FnOnce(),
    ) -> Forced {
        if self.sharing.is_open() {
            return Forced::Untried;
        }
        // Only one thief forces exposure at a time, because the fences of other thieves would have no use.
        let Some(_forcing) = self.forcing.try_lock() else {
            return Forced::Untried;
        };
        let Some(mut held) = self.lock.try_lock() else {
            return Forced::Untried;
        };
        let split = self.load_range().split;
        let seen = self.tail_index();
        if seen <= split {
            return Forced::Untried;
        }
        let wanted = split + share(seen - split);
        if self.is_fenced() {
            self.set_barrier(wanted);
            self.raised.store(true, Ordering::Relaxed);
            // No other thread waits for the fence: an owner that reaches the barrier meanwhile takes the lock and moves
            // the barrier.
            drop(held);
            // This fence is the thief's half of the Dekker argument: it orders the barrier's store before the tail's load. If the owner
            // popped below `wanted` without seeing the barrier, it did so before the fence, and the load sees the tail of that pop. An
            // owner that pops below `wanted` from now on takes the lock.
            heavy_fence();
            held = match self.lock.try_lock() {
                Some(held) if self.raised.load(Ordering::Relaxed) => held,
                // The owner has moved the barrier, or holds the lock and may move it. The owner is awake, and will see requests. The
                // barrier that this force has set may be too high, but is not too low.
                _ => return Forced::Beaten,
            };
        }
        // Without the fence, every pop that has ended has held the lock before, and every other pop waits for the lock.
        let settled = wanted.min(self.tail_index());
        if settled <= split {
            self.set_barrier(split);
            return Forced::Beaten;
        }
        self.publish(settled);
        drop(held);
        Forced::Exposed
    }

    /// Makes the owner's next pop take its slow path, if that pop has not passed the barrier yet. Any thread may
    /// call this. Takes O(1) plus the wait for the lock.
    ///
    /// The call has no effect on open deques, because their pops do not compare with the barrier.
    pub fn interrupt(&self) {
        if self.sharing.is_open() {
            return;
        }
        let _held = self.lock.lock();
        // Relaxed: all uses are under the lock.
        self.interrupted.store(true, Ordering::Relaxed);
        self.set_barrier(self.load_range().split);
    }
}
