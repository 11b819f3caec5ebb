//! The owner's side: put, grow, take.

use std::cell::Cell;
use std::marker::PhantomData;

use super::{Shared, Thief, orders};
use crate::shim::{Arc, Ordering};
use crate::{AtLeastOnce, Delivery, Item};

/// The initial capacity. This capacity is small, so that the deque of an idle worker takes little memory. The capacity doubles on demand.
const FIRST: usize = if cfg!(loom) { 2 } else { 64 };

/// The owner's end of a FIFO deque. A deque has exactly one owner. The owner can move to another thread, but only one thread at a time can
/// use the owner. See the [module](super) for the protocol.
///
/// After the owner has been dropped, thieves can still take the remaining items. The last thief to be dropped drops the items that are
/// left.
pub struct Owner<T: Item, D: Delivery<T> = AtLeastOnce> {
    shared: Arc<Shared<T, D>>,
    /// The newest head that the owner has seen. From now on the owner never sees or stores a lower head. While this value leaves room, a
    /// put need not read the head, whose cache line the thieves write.
    head_seen: u64,
    /// Makes the owner not `Sync`, because its methods require a single caller.
    one_thread: PhantomData<Cell<()>>,
}

impl<T: Item + Send, D: Delivery<T>> Owner<T, D> {
    /// Creates an empty deque.
    #[must_use]
    pub fn new() -> Self {
        Owner {
            shared: Arc::new(Shared::new(FIRST)),
            head_seen: 0,
            one_thread: PhantomData,
        }
    }

    /// Reads the head again, and grows the buffer if the new value leaves no room for index `tail` either.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, tail: u64) {
        let shared = &*self.shared;
        self.head_seen = shared.head.0.load(orders::OWNER_HEAD);
        // Relaxed: only the owner writes this word.
        if tail - self.head_seen < shared.buffers.newest(Ordering::Relaxed).capacity() {
            return;
        }
        // SAFETY: this is the owner.
        unsafe { shared.buffers.grow(self.head_seen..tail, orders::GROW) };
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

    /// Pushes an item in O(1), amortised over growth, without a read-modify-write or a fence. The paper calls this operation `put`.
    #[inline]
    fn push(&mut self, item: T) {
        // Relaxed: only the owner writes tail and buffer.
        let tail = self.shared.tail.load(Ordering::Relaxed);
        if tail - self.head_seen >= self.shared.buffers.newest(Ordering::Relaxed).capacity() {
            self.make_room(tail);
        }
        self.shared
            .buffers
            .newest(Ordering::Relaxed)
            .store(tail, item, orders::SLOT_STORE);
        self.shared.tail.store(tail + 1, orders::PUT);
    }

    /// Pops the *oldest* item in O(1). The paper calls this operation `take`. The operation has no fence. With
    /// [`ExactlyOnce`](crate::ExactlyOnce) the operation has one CAS, and otherwise no read-modify-write.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        let shared = &*self.shared;
        // Relaxed: only the owner writes this word.
        let tail = shared.tail.load(Ordering::Relaxed);
        loop {
            let head = shared.head.0.load(orders::OWNER_HEAD);
            self.head_seen = head;
            if head >= tail {
                return None;
            }
            // Relaxed: only the owner writes slots.
            let image = shared
                .buffers
                .newest(Ordering::Relaxed)
                .load(head, Ordering::Relaxed);
            if D::swing(&shared.head.0, head, head + 1, orders::TAKE) {
                // SAFETY: this thread put the item into the slot, and has not written the slot since. With exactly-once delivery the CAS
                // has claimed the item. With at-least-once delivery, the item is `Copy`.
                return Some(unsafe { image.assume_whole() });
            }
        }
    }
}
