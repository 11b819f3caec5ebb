//! The owner's side: put, take, and the renewal of generations.

use std::cell::Cell;
use std::marker::PhantomData;

use super::anchor::{Anchor, MOST};
use super::{Shared, Thief, orders};
use crate::generation::{CLOSED, Generation};
use crate::shim::{Arc, Ordering};
use crate::slots::{Image, Row, Slots};
use crate::{AtLeastOnce, Delivery, Item};

/// The initial capacity. This capacity is small, so that the deque of an idle worker takes little memory. The capacity doubles on demand.
const FIRST: usize = if cfg!(loom) { 2 } else { 64 };

/// The owner's end of a LIFO deque. A deque has exactly one owner. The owner can move to another thread, but only one thread at a time can
/// use the owner. See the [module](super) for the protocol.
///
/// After the owner has been dropped, thieves can still take the remaining items. The last thief to be dropped drops the items that are
/// left.
pub struct Owner<T: Item, D: Delivery<T> = AtLeastOnce> {
    /// The newest generation, which `shared` owns.
    generation: *const Generation<T>,
    /// The slots of the newest generation, and the number of these slots.
    row: Row<T>,
    capacity: usize,
    shared: Arc<Shared<T, D>>,
    /// Makes the owner not `Sync`, because its methods require a single caller.
    one_thread: PhantomData<Cell<()>>,
}

// SAFETY: the pointers lead into `shared`, which is `Send`.
unsafe impl<T: Item + Send, D: Delivery<T>> Send for Owner<T, D> {}

impl<T: Item + Send, D: Delivery<T>> Owner<T, D> {
    /// Creates an empty deque.
    #[must_use]
    pub fn new() -> Self {
        let shared = Arc::new(Shared::new(FIRST));
        // Relaxed: this thread has stored the pointer.
        let first: &Generation<T> = shared.generations.newest(Ordering::Relaxed);
        Owner {
            generation: first,
            row: first.slots.row(),
            capacity: FIRST,
            shared,
            one_thread: PhantomData,
        }
    }

    #[inline(always)]
    fn generation(&self) -> &Generation<T> {
        // SAFETY: generations live until the deque is dropped, which `shared` keeps alive.
        unsafe { &*self.generation }
    }

    /// Ends the generation, and begins another generation with the same items and new tags. If the old generation was full, the new
    /// generation has twice as many slots. Otherwise the new generation has the same slots.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) {
        let old = self.generation();
        // Relaxed: only the owner raises the tail in this word.
        let seen = Anchor::of(old.anchor.load(Ordering::Relaxed));
        let full = seen.tail() == self.capacity;
        if !full && seen.put().is_some() {
            return; // A thief has made room.
        }
        // All steps that may fail come before the generation ends: without another generation the owner could not continue.
        let slots = if full {
            assert!(self.capacity <= MOST / 2, "a deque of more than 2^31 items");
            std::sync::Arc::new(Slots::new(2 * self.capacity))
        } else {
            std::sync::Arc::clone(&old.slots)
        };
        let next = Generation::new(0, slots);
        let tail = loop {
            let anchor = old.anchor.load(orders::OWNER_ANCHOR);
            // Relaxed: a thief that reads CLOSED reads nothing else.
            if D::swing(&old.anchor, anchor, CLOSED, Ordering::Relaxed) {
                break Anchor::of(anchor).tail();
            }
        };
        if full {
            for slot in 0..tail {
                // Relaxed: only the owner writes slots, and the store below publishes the new slots. SAFETY: the slot is below the tail,
                // and so below either capacity.
                unsafe {
                    let image = old.slots.load(slot, Ordering::Relaxed);
                    next.slots.store(slot, image, Ordering::Relaxed);
                }
            }
        }
        // Relaxed: the publication of the generation below also publishes this anchor.
        next.anchor
            .store(Anchor::with(tail).word(), Ordering::Relaxed);
        (self.row, self.capacity) = (next.slots.row(), next.slots.len());
        self.generation = self.shared.generations.publish(next, orders::PUBLISH);
    }
}

impl<T: Item + Send, D: Delivery<T>> Default for Owner<T, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Item + Send, D: Delivery<T>> crate::Owner for Owner<T, D> {
    type Item = T;
    type Thief = Thief<T, D>;

    fn thief(&self) -> Thief<T, D> {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Pushes an item in O(1), amortised over growth. The paper calls this operation `put`. The operation has no fence. With
    /// [`ExactlyOnce`](crate::ExactlyOnce) the operation has one CAS, and otherwise no read-modify-write.
    ///
    /// # Panics
    /// Panics if the deque holds 2^31 items.
    #[inline]
    fn push(&mut self, item: T) {
        let image = Image::of(item);
        loop {
            let anchor = &self.generation().anchor;
            let seen = Anchor::of(anchor.load(orders::OWNER_ANCHOR));
            let next = match seen.put() {
                Some(next) if seen.tail() != self.capacity => next,
                _ => {
                    self.renew();
                    continue;
                }
            };
            // SAFETY: the slots are those of the newest generation, which `shared` keeps alive. The tail never exceeds the capacity, and by
            // the test above it does not equal the capacity either.
            unsafe { self.row.store(seen.tail(), image, orders::SLOT_STORE) };
            if D::swing(anchor, seen.word(), next.word(), orders::PUT) {
                return;
            }
        }
    }

    /// Pops the newest item in O(1). The paper calls this operation `take`. The operation has no fence. With
    /// [`ExactlyOnce`](crate::ExactlyOnce) the operation has one CAS, and otherwise no read-modify-write.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        loop {
            let anchor = &self.generation().anchor;
            let seen = Anchor::of(anchor.load(orders::OWNER_ANCHOR));
            if seen.tail() == 0 {
                return None;
            }
            // Relaxed: only the owner writes slots. SAFETY: the slots are those of the newest
            // generation, which `shared` keeps alive, and this slot is below the tail.
            let image = unsafe { self.row.load(seen.tail() - 1, Ordering::Relaxed) };
            if D::swing(anchor, seen.word(), seen.take().word(), orders::TAKE) {
                // SAFETY: this thread put the item into the slot. With exactly-once delivery the CAS has claimed the item. With
                // at-least-once delivery, the item is `Copy`.
                return Some(unsafe { image.assume_whole() });
            }
        }
    }
}
