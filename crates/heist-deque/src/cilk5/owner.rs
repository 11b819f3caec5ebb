//! The owner's side: push, grow, pop.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem;

use super::{FIRST, Shared, Thief, orders, steps};
use crate::shim::{Arc, Ordering, fence};

/// The initial capacity. This capacity is small, so that the deque of an idle worker takes little memory. The capacity doubles on demand.
/// In models, the capacity is 2, so that growth and wrap-around happen within a few steps.
const CAPACITY: usize = if cfg!(loom) { 2 } else { 64 };

/// The owner's end of a THE deque. A deque has exactly one owner. The owner can move to another thread, but only one thread at a time can
/// use the owner. See the [module](super) for the protocol.
///
/// After the owner has been dropped, thieves can still take the remaining items. The last thief to be dropped drops the items that are
/// left.
///
/// ```
/// use heist_deque::{Owner, Steal, Thief, cilk5};
///
/// let mut owner = cilk5::Owner::new();
/// let thief = owner.thief();
/// for name in ["ada", "grace", "barbara"] {
///     owner.push(name.to_string());
/// }
/// assert_eq!(thief.steal(), Steal::Success("ada".to_string()));
/// assert_eq!(owner.pop().as_deref(), Some("barbara"));
/// ```
pub struct Owner<T> {
    pub(super) shared: Arc<Shared<T>>,
    /// A value of `done` that the owner has read earlier. While this value leaves room, a push need not read `done`, whose cache line the
    /// thieves write.
    done_seen: u64,
    /// Makes the owner not `Sync`, because its methods require a single caller.
    one_thread: PhantomData<Cell<()>>,
}

impl<T> Owner<T> {
    /// Creates an empty deque.
    #[must_use]
    pub fn new() -> Self {
        Owner {
            shared: Arc::new(Shared::new(CAPACITY)),
            done_seen: FIRST,
            one_thread: PhantomData,
        }
    }

    /// Returns true if `done_seen` shows that the slot of index `tail` is free.
    #[inline(always)]
    fn has_room(&self, tail: u64) -> bool {
        // SAFETY: this is the owner.
        let capacity = unsafe { self.shared.buffer(|buffer| buffer.capacity()) };
        tail - self.done_seen < capacity
    }

    #[cold]
    fn make_room(&mut self, tail: u64) {
        let old = &self.shared.old.0;
        self.done_seen = if steps::ROOM_BY_DONE {
            old.done.load(orders::PUSH_DONE)
        } else {
            old.head.load(orders::PUSH_DONE)
        };
        if !self.has_room(tail) {
            self.grow(tail);
        }
    }

    fn grow(&mut self, tail: u64) {
        let shared = &*self.shared;
        // Allocate the larger buffer before taking the lock. The allocation may take long, and no thief should wait for the lock during
        // this time. The allocation may also panic, and then the deque must not have changed. SAFETY: this is the owner.
        let larger = unsafe { shared.buffer(|buffer| buffer.twice()) };
        let held = steps::LOCK_TO_GROW.then(|| shared.old.0.lock.lock());
        // Relaxed: `head` is written only under the lock.
        let head = shared.old.0.head.load(Ordering::Relaxed);
        // SAFETY: this thread holds the lock, so no thief uses a slot. The slots from head to tail hold items.
        unsafe { shared.buffer(|buffer| buffer.move_to(&larger, head..tail)) };
        let smaller = shared.buffer.with_mut(|buffer| {
            // SAFETY: this is the owner, which has no reference to the buffer, and under the lock
            // no other thread has one.
            mem::replace(unsafe { &mut *buffer }, larger)
        });
        drop(held);
        // A thief could use the old buffer only under the lock, before this thread replaced the buffer. The old buffer has no items any
        // more.
        drop(smaller);
    }

    /// Takes the lock, and decides whether the owner gets the newest item, which a thief has tried to take. If the owner does not get the
    /// item, the deque is empty, and this function restores the tail accordingly.
    #[cold]
    fn look_again(&self, newest: u64) -> bool {
        let old = &self.shared.old.0;
        let _held = steps::LOOK_AGAIN.then(|| old.lock.lock());
        // Relaxed: `head` is written only under the lock.
        let mine = steps::LOOK_AGAIN && old.head.load(Ordering::Relaxed) <= newest;
        if !mine {
            // Relaxed: the store publishes no item. A thief that sees the new tail takes the lock afterwards, and so sees all earlier
            // writes of the owner.
            self.shared.tail.store(newest + 1, Ordering::Relaxed);
        }
        mine
    }
}

impl<T> Default for Owner<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send> crate::Owner for Owner<T> {
    type Item = T;
    type Thief = Thief<T>;

    fn thief(&self) -> Thief<T> {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Pushes an item in O(1), amortised over growth, without a read-modify-write or a fence. If the deque has to grow, the push waits for
    /// the lock.
    ///
    /// # Panics
    /// Panics if the deque has to grow beyond the maximum size of an allocation. In this case the push drops the item, and the deque does
    /// not change.
    #[inline]
    fn push(&mut self, item: T) {
        // Relaxed: only the owner writes this word.
        let tail = self.shared.tail.load(Ordering::Relaxed);
        if !self.has_room(tail) {
            self.make_room(tail);
        }
        // SAFETY: this is the owner, and the slot is free. Either the owner has taken the slot's last item, or a thief has taken and read
        // it, as `done` shows (README.md, "slots").
        unsafe { self.shared.buffer(|buffer| buffer.put(tail, item)) };
        self.shared.tail.store(tail + 1, orders::PUSH_TAIL);
    }

    /// Pops the newest item in O(1). A pop has one full fence, unless its first check finds the deque empty. A pop waits for the lock if a
    /// thief is about to steal the last item.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        let shared = &*self.shared;
        let old = &shared.old.0;
        let tail = shared.tail.load(Ordering::Relaxed); // Only the owner writes it.
        // `done` never falls, so if even an old value of `done` leaves no item, the deque is empty. Because of this check, an idle owner
        // executes no fence, takes no lock, and does not write to the cache line that thieves read.
        let done = if steps::EMPTY_BY_DONE {
            old.done.load(Ordering::Relaxed)
        } else {
            old.head.load(Ordering::Relaxed)
        };
        if done >= tail {
            return None;
        }
        let newest = tail - 1;
        shared.tail.store(newest, orders::POP_TAIL);
        fence(orders::POP_FENCE);
        // Relaxed: the fence between the store above and this load gives the order.
        if old.head.load(Ordering::Relaxed) <= newest || self.look_again(newest) {
            // SAFETY: this is the owner, which put an item into that slot. No thief takes this item, because no thief takes an index at or
            // above the tail stored above (README.md, cases 1 and 2).
            return Some(unsafe { shared.buffer(|buffer| buffer.take(newest)) });
        }
        None
    }
}
