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

/// The owner's end of a double-ended idempotent deque. A deque has exactly one owner. The owner can move to another thread, but only one
/// thread at a time can use the owner. See the [module](super) for the protocol.
///
/// After the owner has been dropped, thieves can still take the remaining items. The last thief to be dropped drops the items that are
/// left. (Items beyond the 2^18 that thieves can reach are dropped with the owner.)
pub struct Owner<T: Item, D: Delivery<T> = AtLeastOnce> {
    /// The newest generation, which `shared` owns.
    generation: *const Generation<T>,
    /// The slots of the newest generation. The number of slots is a power of two, and `mask` is this number minus one.
    row: Row<T>,
    mask: usize,
    shared: Arc<Shared<T, D>>,
    /// Items beyond the maximum of a generation, in order of arrival.
    spill: Vec<T>,
    /// Makes the owner not `Sync`, because its methods require a single caller.
    one_thread: PhantomData<Cell<()>>,
}

// SAFETY: the pointers lead into `shared`, which is `Send`, and the items of the spill are `Send`.
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
            mask: FIRST - 1,
            shared,
            spill: Vec::new(),
            one_thread: PhantomData,
        }
    }

    #[inline(always)]
    fn generation(&self) -> &Generation<T> {
        // SAFETY: generations live until the deque is dropped, which `shared` keeps alive.
        unsafe { &*self.generation }
    }

    /// Makes room for one more item: a free slot and an unused tag.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        // Relaxed: if the anchor is full, the next step loads it again.
        let seen = Anchor::of(self.generation().anchor.load(Ordering::Relaxed));
        if seen.put().is_none() || seen.size() > self.mask && seen.size() < MOST {
            self.renew();
        } else if seen.size() == MOST {
            self.spill();
        } // Else a thief has made room.
    }

    /// Moves the older half of the items to the spill. Thieves cannot steal from the spill.
    fn spill(&mut self) {
        self.spill.reserve(MOST);
        let (first, count) = loop {
            let anchor = &self.generation().anchor;
            let seen = Anchor::of(anchor.load(orders::OWNER_ANCHOR));
            let count = seen.size() / 2;
            if D::swing(anchor, seen.word(), seen.steal(count).word(), orders::TAKE) {
                break (seen.head(), count);
            }
        };
        for nth in 0..count {
            // SAFETY: the mask keeps the slot below the capacity. Relaxed, because only the owner writes slots. The slots hold items of
            // this thread's puts. With exactly-once delivery the CAS has claimed these items. With at-least-once delivery, the items are
            // `Copy`.
            let item = unsafe {
                let slot = (first + nth) & self.mask;
                self.row.load(slot, Ordering::Relaxed).assume_whole()
            };
            self.spill.push(item);
        }
    }

    /// Ends the generation, and begins another generation with the same items and new tags. If the old generation was full, the new
    /// generation has twice as many slots. Otherwise the new generation has the same slots.
    fn renew(&mut self) {
        let old = self.generation();
        // Relaxed: only the owner raises the size in this word.
        let full = Anchor::of(old.anchor.load(Ordering::Relaxed)).size() > self.mask;
        // All steps that may fail come before the generation ends: without another generation the owner could not continue.
        let slots = if full {
            std::sync::Arc::new(Slots::new((2 * old.slots.len()).min(MOST)))
        } else {
            std::sync::Arc::clone(&old.slots)
        };
        let next = Generation::new(0, slots);
        let last = loop {
            let anchor = old.anchor.load(orders::OWNER_ANCHOR);
            // Relaxed: a thief that reads CLOSED reads nothing else.
            if D::swing(&old.anchor, anchor, CLOSED, Ordering::Relaxed) {
                break Anchor::of(anchor);
            }
        };
        if full {
            for nth in 0..last.size() {
                // Relaxed: only the owner writes slots, and the store below publishes the new slots. SAFETY: the mask keeps the old slot
                // below its capacity, and the new slot is below the new capacity, which is at least the size.
                unsafe {
                    let slot = (last.head() + nth) & self.mask;
                    let image = old.slots.load(slot, Ordering::Relaxed);
                    next.slots.store(nth, image, Ordering::Relaxed);
                }
            }
        }
        let head = if full { 0 } else { last.head() };
        // Relaxed: the publication of the generation below also publishes this anchor.
        let anchor = Anchor::with(head, last.size()).word();
        next.anchor.store(anchor, Ordering::Relaxed);
        (self.row, self.mask) = (next.slots.row(), next.slots.len() - 1);
        self.generation = self.shared.generations.publish(next, orders::PUBLISH);
    }

    /// Takes the newest item of the spill, and moves the items before it back to the slots.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Option<T> {
        let newest = self.spill.pop()?;
        let back = self.spill.len().saturating_sub(MOST / 2);
        for item in self.spill.split_off(back) {
            crate::Owner::push(self, item);
        }
        Some(newest)
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

    /// Pushes an item in amortised O(1). If the slots are full, the push doubles their number, or moves the older half of the items to
    /// `spill`. The paper calls this operation `put`. The operation has no fence. With [`ExactlyOnce`](crate::ExactlyOnce) the operation
    /// has one CAS, and otherwise no read-modify-write.
    #[inline]
    fn push(&mut self, item: T) {
        let image = Image::of(item);
        loop {
            let anchor = &self.generation().anchor;
            let seen = Anchor::of(anchor.load(orders::OWNER_ANCHOR));
            let next = match seen.put() {
                Some(next) if seen.size() <= self.mask => next,
                _ => {
                    self.make_room();
                    continue;
                }
            };
            let slot = (seen.head() + seen.size()) & self.mask;
            // SAFETY: the slots are those of the newest generation, which `shared` keeps alive, and
            // the mask keeps the slot below the capacity.
            unsafe { self.row.store(slot, image, orders::SLOT_STORE) };
            if D::swing(anchor, seen.word(), next.word(), orders::PUT) {
                return;
            }
        }
    }

    /// Pops the newest item in amortised O(1). If the slots are empty, the pop moves items back to the slots from `spill`, the owner's
    /// private list of the oldest items. The paper calls this operation `take`. The operation has no fence. With
    /// [`ExactlyOnce`](crate::ExactlyOnce) the operation has one CAS, and otherwise no read-modify-write.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        loop {
            let anchor = &self.generation().anchor;
            let seen = Anchor::of(anchor.load(orders::OWNER_ANCHOR));
            if seen.size() == 0 {
                return self.refill();
            }
            // Relaxed: only the owner writes slots.
            let slot = (seen.head() + seen.size() - 1) & self.mask;
            // SAFETY: the slots are those of the newest generation, which `shared` keeps alive, and
            // the mask keeps the slot below the capacity.
            let image = unsafe { self.row.load(slot, Ordering::Relaxed) };
            let next = seen.take(1);
            if D::swing(anchor, seen.word(), next.word(), orders::TAKE) {
                // SAFETY: this thread put the item into the slot. With exactly-once delivery the CAS has claimed the item. With
                // at-least-once delivery, the item is `Copy`.
                return Some(unsafe { image.assume_whole() });
            }
        }
    }
}
