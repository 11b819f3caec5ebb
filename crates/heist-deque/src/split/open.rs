//! Deques without a private part. These deques use the words and slots of a split deque: Chase and Lev's protocol, and THE.

use super::range::Range;
use super::{Popped, Sharing, Slot, SplitDeque, Words, orders};
use crate::shim::{AtomicU64, Ordering, fence};

/// The position of the oldest frame that no thread has claimed, in an open deque, together with a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Oldest {
    /// The oldest frame that no thread has claimed.
    head: u32,
    /// The number of pops of a last frame, and of rewinds (wrapping). After each such pop or rewind an old head may return, but with a new
    /// tag. So the claim of a thief that read the word earlier fails.
    tag: u32,
}

impl Oldest {
    /// Returns the packed form: `head` where [`Range`] has it, `tag` in the high half.
    const fn pack(self) -> u64 {
        (self.tag as u64) << 32 | self.head as u64
    }

    const fn unpack(word: u64) -> Self {
        Oldest {
            head: Range::unpack(word).head,
            tag: (word >> 32) as u32,
        }
    }

    /// Returns the word for `head` with the next tag, for a step after which an old head may return.
    const fn tagged(self, head: u32) -> Self {
        Oldest {
            head,
            tag: self.tag.wrapping_add(1),
        }
    }
}

/// The owner's view of the thieves' progress in an open deque: the owner's fast pop needs this view in addition to the [`Words`].
#[derive(Debug)]
pub struct Top<T> {
    oldest: *const AtomicU64,
    base: *mut Slot<T>,
}

impl<T> Clone for Top<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Top<T> {}

impl<T> Top<T> {
    /// Returns a top with which no pop succeeds, for an owner whose deque is not open.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn closed() -> Self {
        static FAR: AtomicU64 = AtomicU64::new(u64::MAX);
        /// The address of slot 0, chosen so that the slot of index `u32::MAX` is at the last address. This index is the head in `FAR`, so
        /// no tail is above the head's slot, and no pop succeeds. On 32-bit systems the computations of both addresses wrap.
        const BASE: usize =
            usize::MAX.wrapping_sub((u32::MAX as usize).wrapping_mul(size_of::<Slot<()>>()));
        Top {
            oldest: &raw const FAR,
            base: std::ptr::without_provenance_mut(BASE),
        }
    }

    /// Pops like [`Words::pop`], by the protocol `sharing` of an open deque. Returns true if the owner has
    /// the newest frame. Returns false if [`SplitDeque::pop_slow`] must decide. A [`closed`](Self::closed)
    /// top always returns false.
    ///
    /// # Safety
    /// The contract of [`Words::pop`] applies. If the words' deque is open, `self` must be the top of this
    /// deque, and `sharing` must be its protocol. Otherwise `self` must be closed.
    #[inline(always)]
    pub unsafe fn pop(self, words: &Words<T>, sharing: Sharing) -> bool {
        let mine = words.tail.load(Ordering::Relaxed).wrapping_sub(1);
        words.tail.store(mine, orders::TAIL_POP);
        fence(orders::OPEN_OWNER_FENCE);
        // SAFETY: `oldest` points to a static or, by contract, to a word of the owner's deque, which is in use during this call.
        let oldest = unsafe { &*self.oldest }.load(Ordering::Relaxed);
        let head = self.base.wrapping_add(Range::unpack(oldest).head as usize);
        match sharing {
            // A thief that holds the lock has stored its claim before its fence.
            Sharing::The => head <= mine,
            // At the last frame, a compare-and-swap decides.
            _ => head < mine,
        }
    }
}

impl<T> SplitDeque<T> {
    /// Returns the top that the owner's fast pop needs. This top is [`closed`](Top::closed) if the deque is not open.
    #[cfg(not(loom))]
    pub fn top(&self) -> Top<T> {
        if !self.sharing.is_open() {
            return Top::closed();
        }
        Top {
            oldest: &raw const self.range,
            base: self.base,
        }
    }

    /// Returns the top that the owner's fast pop needs. Models call this only on open deques.
    #[cfg(loom)]
    pub fn top(&self) -> Top<T> {
        Top {
            oldest: &raw const self.range,
            base: self.base,
        }
    }

    fn load_oldest(&self) -> Oldest {
        Oldest::unpack(self.range.load(orders::RANGE_LOAD))
    }

    fn exchange_oldest(&self, now: Oldest, new: Oldest) -> bool {
        self.range
            .compare_exchange(
                now.pack(),
                new.pack(),
                orders::OPEN_CLAIM,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Claims the oldest frames for a thief, if they are at `floor` or above. Claims at most half of the
    /// frames, and at most `most`. Returns the first index and the number of the claimed frames.
    ///
    /// # Errors
    /// Returns `Err(true)` if another thread was faster or holds the lock, and `Err(false)` if there was no frame.
    pub(super) fn claim_open(&self, floor: u32, most: u32) -> Result<(u32, u32), bool> {
        if self.sharing == Sharing::The {
            return self.claim_under_lock(floor, most);
        }
        let oldest = self.load_oldest();
        fence(orders::OPEN_THIEF_FENCE);
        let head = oldest.head;
        if self.tail_index() <= head || head < floor {
            return Err(false);
        }
        let rest = Oldest {
            head: head + 1,
            ..oldest
        };
        if self.exchange_oldest(oldest, rest) {
            Ok((head, 1))
        } else {
            Err(true)
        }
    }

    fn claim_under_lock(&self, floor: u32, most: u32) -> Result<(u32, u32), bool> {
        let head = self.head();
        let seen = self.tail_index();
        if seen <= head || head < floor {
            return Err(false);
        }
        let _held = self.lock.try_lock().ok_or(true)?;
        let oldest = self.load_oldest();
        let head = oldest.head;
        let seen = self.tail_index();
        if seen <= head || head < floor {
            return Err(false);
        }
        let wanted = head + (seen - head).div_ceil(2).clamp(1, most.max(1));
        self.set_oldest(Oldest {
            head: wanted,
            ..oldest
        });
        fence(orders::OPEN_THIEF_FENCE);
        let settled = wanted.min(self.tail_index()).max(head);
        if settled < wanted {
            self.set_oldest(Oldest {
                head: settled,
                ..oldest
            });
        }
        if settled == head {
            Err(false)
        } else {
            Ok((head, settled - head))
        }
    }

    fn set_oldest(&self, oldest: Oldest) {
        // Relaxed: the fences order this store against the owner's loads, and the lock orders it against other thieves.
        self.range.store(oldest.pack(), Ordering::Relaxed);
    }

    /// Decides a pop for the owner, if [`Top::pop`] has not decided it or was not called.
    ///
    /// # Safety
    /// The contract of [`pop_slow`](Self::pop_slow) applies.
    pub(super) unsafe fn pop_open(&self) -> Popped {
        let mine = self.height();
        // If the caller has called `Words::pop` and not `Top::pop`, it has executed no fence.
        fence(orders::OPEN_OWNER_FENCE);
        let got = if self.sharing == Sharing::The {
            self.head() <= mine || {
                // A thief is claiming the frame, or has the frame already.
                let _held = self.lock.lock();
                self.head() <= mine
            }
        } else {
            let oldest = self.load_oldest();
            oldest.head < mine
                || oldest.head == mine && self.exchange_oldest(oldest, oldest.tagged(mine))
        };
        if got {
            return Popped::Mine;
        }
        self.step_over();
        Popped::Stolen
    }

    /// Lowers the indices to `floor`. The owner calls this under the lock, when all frames have been
    /// claimed.
    pub(super) fn rewind_open(&self, floor: u32) {
        let oldest = self.load_oldest();
        // Lower the tail first, so that thieves can claim no frame at any moment.
        self.words()
            .tail
            .store(self.base.wrapping_add(floor as usize), orders::TAIL_POP);
        self.range
            .store(oldest.tagged(floor).pack(), orders::REWIND);
    }
}

#[cfg(test)]
mod tests {
    use super::Oldest;

    #[test]
    fn packs_and_unpacks() {
        for (head, tag) in [(0, 0), (1, 2), (u32::MAX, 0), (0, u32::MAX)] {
            let oldest = Oldest { head, tag };
            assert_eq!(Oldest::unpack(oldest.pack()), oldest);
        }
        let last = Oldest {
            head: 7,
            tag: u32::MAX,
        };
        assert_eq!(last.tagged(3), Oldest { head: 3, tag: 0 });
    }

    #[test]
    #[cfg(not(loom))]
    fn the_head_of_a_closed_top_is_the_last_address() {
        use super::{Range, Slot, Top};
        let top = Top::<()>::closed();
        // SAFETY: the word is a static.
        let oldest = unsafe { &*top.oldest }.load(crate::shim::Ordering::Relaxed);
        let head: *mut Slot<()> = top.base.wrapping_add(Range::unpack(oldest).head as usize);
        assert_eq!(head.addr(), usize::MAX);
    }
}
