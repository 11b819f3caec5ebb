//! An anchor with its slots, which the LIFO and the double-ended idempotent deque replace as a whole.

use std::ptr::null_mut;
use std::sync::Arc;

use crate::Item;
use crate::shim::{AtomicPtr, Ordering, Swung};
use crate::slots::Slots;

/// Value of an anchor whose generation is over. No deque packs any other state into this word, and
/// no thread changes it any more.
pub(crate) const CLOSED: u64 = u64::MAX;

/// One generation: the word that says which slots are in use, and the slots. Owner and thieves
/// reach the slots through the generation only, so an anchor never speaks of the slots of another.
/// Several generations may share their slots: only the anchor of the newest is not [`CLOSED`].
///
/// Generations form a list from the newest to the oldest, and all of them live until the deque
/// drops: a thief may have read the pointer to any of them.
#[repr(align(128))]
pub(crate) struct Generation<T> {
    pub(crate) anchor: Swung,
    pub(crate) slots: Arc<Slots<T>>,
    older: *mut Generation<T>,
}

impl<T: Item> Generation<T> {
    /// A generation that no other thread knows yet.
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

    /// The newest generation that a load of this order sees.
    #[inline(always)]
    pub(crate) fn newest(&self, order: Ordering) -> &Generation<T> {
        // SAFETY: the pointer is never null, and no generation is freed or borrowed mutably before
        // `drop`, which has the list to itself, so not as long as `self` is borrowed. Its fields
        // are seen as written if the load is Acquire, or if the caller is the owner.
        unsafe { &*self.newest.load(order) }
    }

    /// Owner: puts a generation on top of the list. Returns its address, which holds until the deque drops.
    ///
    /// Only the one owner calls this: two callers at a time would lose memory, but do no other harm.
    pub(crate) fn publish(
        &self,
        mut next: Box<Generation<T>>,
        order: Ordering,
    ) -> *const Generation<T> {
        // Relaxed: only the owner writes it.
        next.older = self.newest.load(Ordering::Relaxed);
        // Moving the box would invalidate an address taken before, so here, and once.
        let next = Box::into_raw(next);
        self.newest.store(next, order);
        next
    }
}

impl<T> Drop for Generations<T> {
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that whatever others did happened before.
        let mut next = self.newest.load(Ordering::Relaxed);
        while !next.is_null() {
            // SAFETY: each came from `Box::into_raw` and is on this list only, whose last user this is.
            next = unsafe { Box::from_raw(next) }.older;
        }
    }
}
