//! Code that the tests share.

use std::sync::atomic::AtomicPtr;

use super::{Popped, Sharing, Slot, SplitDeque, Words};

/// The heavy half of an asymmetric fence, if the system has one.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) mod heavy {
    use std::sync::OnceLock;

    // These constants are from linux/membarrier.h.
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> libc::c_long {
        // SAFETY: the system call takes only integers and accesses no memory of this process.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    pub(in crate::split) fn exists() -> bool {
        static REGISTERED: OnceLock<bool> = OnceLock::new();
        *REGISTERED.get_or_init(|| membarrier(REGISTER_PRIVATE_EXPEDITED) == 0)
    }

    pub(in crate::split) fn fence() {
        assert_eq!(membarrier(PRIVATE_EXPEDITED), 0);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) mod heavy {
    pub(in crate::split) fn exists() -> bool {
        false
    }

    pub(in crate::split) fn fence() {
        unreachable!("asked for only where it exists");
    }
}

/// A deque with its memory. Only this file calls the deque's unsafe functions, and the tests guarantee that only one thread calls the
/// owner's functions.
pub(super) struct Bench<T> {
    pub(super) deque: SplitDeque<T>,
    words: *mut Words<T>,
    slots: Vec<Slot<T>>,
    sharing: Sharing,
}

// SAFETY: the deque is `Sync`, and the words are atomics.
unsafe impl<T> Sync for Bench<T> {}

impl<T> Bench<T> {
    pub(super) fn new(capacity: u32, sharing: Sharing) -> Self {
        let mut slots: Vec<Slot<T>> = (0..capacity).map(|_| AtomicPtr::default()).collect();
        let base = slots.as_mut_ptr();
        let words = Box::into_raw(Box::new(Words::at(base)));
        Bench {
            // SAFETY: the bench owns words and slots. So words and slots live until no thread uses the deque any more, and they do not move
            // when the bench moves.
            deque: unsafe { SplitDeque::new(words, base, capacity, sharing) },
            words,
            slots,
            sharing,
        }
    }

    pub(super) fn words(&self) -> &Words<T> {
        // SAFETY: only `drop` frees the words, and it has exclusive access.
        unsafe { &*self.words }
    }

    pub(super) fn push(&self, item: *mut T) {
        assert!((self.deque.height() as usize) < self.slots.len());
        // SAFETY: this is the owner, and there is room.
        unsafe { self.words().push(item) };
    }

    /// Pops from a nonempty deque, for the owner. Returns the newest item, or `None` if a thief has stolen it.
    pub(super) fn pop(&self) -> Option<*mut T> {
        assert!(self.deque.height() > 0);
        // SAFETY: this is the owner, and the deque still contains an item. The top is the deque's own.
        unsafe {
            let fast = match self.sharing {
                open if open.is_open() => self.deque.top().pop(self.words(), open),
                _ => self.words().pop(),
            };
            if !fast && self.deque.pop_slow() == Popped::Stolen {
                return None;
            }
            Some(self.deque.popped())
        }
    }

    /// Calls `gain_fence` for the owner.
    pub(super) fn gain_fence(&self) {
        // SAFETY: this is the owner, between two pops. Other threads force only by `force`; tests that run such threads call this function
        // only where the heavy fence exists.
        unsafe { self.deque.gain_fence() };
    }

    pub(super) fn expose_half(&self) -> u32 {
        // SAFETY: this is the owner.
        unsafe { self.deque.expose_half() }
    }

    pub(super) fn expose_all(&self) -> u32 {
        // SAFETY: this is the owner.
        unsafe { self.deque.expose_all() }
    }

    /// Forces an exposure while the owner does nothing else.
    pub(super) fn force_quietly(&self) -> bool {
        // SAFETY: the owner is in no call during the force, so no fence is necessary.
        unsafe { self.deque.force(|| {}) }
    }

    /// Forces an exposure with a heavy fence, as is required while the owner runs.
    pub(super) fn force(&self) -> bool {
        // SAFETY: tests make benches with `Sharing::Split` only where the heavy fence exists.
        unsafe { self.deque.force(heavy::fence) }
    }

    /// Returns the head, a flag that is true if there are public frames, a flag that is true if there are private frames, and the height.
    pub(super) fn counts(&self) -> (u32, bool, bool, u32) {
        let deque = &self.deque;
        (
            deque.head(),
            deque.has_public(),
            deque.has_private(),
            deque.height(),
        )
    }
}

impl<T> Drop for Bench<T> {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the words in a box, and no thread uses the deque any more.
        drop(unsafe { Box::from_raw(self.words) });
    }
}
