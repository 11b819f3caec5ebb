//! The owner's side: push, grow, pop.

use std::cell::Cell;
use std::marker::PhantomData;

use super::{FIRST, Shared, Thief, orders};
use crate::Item;
use crate::ring::Ring;
use crate::shim::{Arc, Ordering, fence};

/// The initial capacity. This capacity is small, so that the deque of an idle worker takes little memory. The capacity doubles on demand.
/// In models, the capacity is 2, so that growth and wrap-around happen within a few steps.
const CAPACITY: usize = if cfg!(loom) { 2 } else { 64 };

/// The owner's end of a Chase-Lev deque. A deque has exactly one owner. The owner can move to another thread, but only one thread at a time
/// can use the owner. See the [module](super) for the protocol.
///
/// After the owner has been dropped, thieves can still take the remaining items. The last thief to be dropped drops the items that are
/// left.
pub struct Owner<T: Item> {
    pub(super) shared: Arc<Shared<T>>,
    /// A value of the top that the owner has read earlier. While this value leaves room, a push need not read the top, whose cache line the
    /// thieves write.
    top_seen: u64,
    /// Makes the owner not `Sync`, because its methods require a single caller.
    one_thread: PhantomData<Cell<()>>,
}

impl<T: Item> Owner<T> {
    /// Creates an empty deque.
    #[must_use]
    pub fn new() -> Self {
        Owner {
            shared: Arc::new(Shared::new(CAPACITY)),
            top_seen: FIRST,
            one_thread: PhantomData,
        }
    }

    /// Makes room for index `bottom`, and returns the buffer.
    #[inline(always)]
    fn room_for(&mut self, bottom: u64) -> &Ring<T> {
        // Relaxed: only the owner writes this word.
        if bottom - self.top_seen >= self.shared.buffer(Ordering::Relaxed).capacity() {
            self.make_room(bottom);
        }
        self.shared.buffer(Ordering::Relaxed)
    }

    #[cold]
    fn make_room(&mut self, bottom: u64) {
        let shared = &*self.shared;
        self.top_seen = shared.top.0.load(orders::PUSH_TOP);
        if bottom - self.top_seen < shared.buffer(Ordering::Relaxed).capacity() {
            return;
        }
        let live = self.top_seen..bottom;
        // SAFETY: this is the owner.
        unsafe { shared.buffers.grow(live, orders::GROW_BUFFER) };
    }
}

impl<T: Item> Default for Owner<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Item + Send> crate::Owner for Owner<T> {
    type Item = T;
    type Thief = Thief<T>;

    fn thief(&self) -> Thief<T> {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Pushes an item in O(1), amortised over growth, without a read-modify-write or a fence.
    #[inline]
    fn push(&mut self, item: T) {
        // Relaxed: only the owner writes this word.
        let bottom = self.shared.bottom.load(Ordering::Relaxed);
        // Relaxed: the store of the bottom publishes the item.
        self.room_for(bottom).store(bottom, item, Ordering::Relaxed);
        self.shared.bottom.store(bottom + 1, orders::PUSH_BOTTOM);
    }

    /// Pops the newest item in O(1). A pop has one full fence, unless its first check finds the deque empty. A pop of the last item also
    /// has a CAS.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        let shared = &*self.shared;
        let bottom = shared.bottom.load(Ordering::Relaxed); // Only the owner writes it.
        // The top never falls, so if even an old value of the top leaves no item, the deque is empty. Because of this check, an idle owner
        // executes no fence and does not write to the cache line that thieves read.
        if shared.top.0.load(Ordering::Relaxed) >= bottom {
            return None;
        }
        let newest = bottom - 1;
        shared.bottom.store(newest, orders::POP_BOTTOM);
        fence(orders::POP_FENCE);
        // Relaxed: the fence between the store above and this load gives the order.
        let top = shared.top.0.load(Ordering::Relaxed);
        if top < newest {
            let image = shared
                .buffer(Ordering::Relaxed)
                .load(newest, Ordering::Relaxed);
            // SAFETY: the owner wrote the slot by `push`, and the item is the owner's alone: no
            // thief claims an index at or above the bottom stored above (README.md, case 1).
            return Some(unsafe { image.assume_whole() });
        }
        // At most one item is left. Thieves may claim this item, too, so a CAS of the top decides. After a thread has claimed the item, the
        // deque is empty, with both indices at `bottom`.
        let won = top == newest
            && shared
                .top
                .0
                .compare_exchange(top, bottom, orders::POP_CAS, Ordering::Relaxed)
                .is_ok();
        shared.bottom.store(bottom, orders::POP_RESTORE);
        won.then(|| {
            let image = shared
                .buffer(Ordering::Relaxed)
                .load(newest, Ordering::Relaxed);
            // SAFETY: the owner wrote the slot by `push`, and because of the CAS no other thread can claim the index.
            unsafe { image.assume_whole() }
        })
    }
}
