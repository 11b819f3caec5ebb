//! Generations. A generation is an anchor together with its slots. The LIFO deque and the double-ended deque replace an anchor and its
//! slots together.

use std::ptr::null_mut;
use std::sync::Arc;

use crate::Item;
use crate::shim::{AtomicPtr, Ordering, Swung};
use crate::slots::Slots;

/// The value of an anchor after the owner has closed its generation. No other state of a deque has this value, and no thread changes an
/// anchor that has this value.
pub(crate) const CLOSED: u64 = u64::MAX;

/// One generation: the slots, and the word that says which slots are in use. Owner and thieves reach the slots only through the generation,
/// so an anchor never describes the slots of another generation. Several generations may share their slots, because only the anchor of the
/// newest generation is not [`CLOSED`].
///
/// Generations form a list from the newest to the oldest. All generations live until the deque is dropped, because a thief may have read
/// the pointer to any generation.
#[repr(align(128))]
pub(crate) struct Generation<T> {
    pub(crate) anchor: Swung,
    pub(crate) slots: Arc<Slots<T>>,
    older: *mut Generation<T>,
}

impl<T: Item> Generation<T> {
    /// Creates a generation that no other thread can reach yet.
    pub(crate) fn new(anchor: u64, slots: Arc<Slots<T>>) -> Box<Self> {
        Box::new(Generation {
            anchor: Swung::new(anchor),
            slots,
            older: null_mut(),
        })
    }
}

/// All generations of a deque.
pub(crate) struct Generations<T> {
    newest: AtomicPtr<Generation<T>>,
}

impl<T: Item> Generations<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let first = Generation::new(0, Arc::new(Slots::new(capacity)));
        Generations {
            newest: AtomicPtr::new(Box::into_raw(first)),
        }
    }

    /// Loads the newest generation with the given memory order.
    #[inline(always)]
    pub(crate) fn newest(&self, order: Ordering) -> &Generation<T> {
        // SAFETY: the pointer is never null. No generation is freed or borrowed mutably before `drop`, which has exclusive access, so no
        // generation is freed while `self` is borrowed. The fields are visible if the load is Acquire, or if the caller is the owner.
        unsafe { &*self.newest.load(order) }
    }

    /// Puts a generation at the head of the list. Returns the generation's address, which is valid until the deque is dropped.
    ///
    /// Only the owner calls this function. Two simultaneous callers would leak memory, but would cause no undefined behaviour.
    pub(crate) fn publish(
        &self,
        mut next: Box<Generation<T>>,
        order: Ordering,
    ) -> *const Generation<T> {
        // Relaxed: only the owner writes this word.
        next.older = self.newest.load(Ordering::Relaxed);
        // Take the address here, and only once, because moving the box would invalidate an earlier address.
        let next = Box::into_raw(next);
        self.newest.store(next, order);
        next
    }
}

impl<T> Drop for Generations<T> {
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        let mut next = self.newest.load(Ordering::Relaxed);
        while !next.is_null() {
            // SAFETY: each generation came from `Box::into_raw` and is only on this list, whose last
            // user is this function.
            next = unsafe { Box::from_raw(next) }.older;
        }
    }
}
