//! The thieves' side: steal.

use super::{Shared, orders, steps};
use crate::Steal;
use crate::shim::{Arc, Ordering, fence};

/// A thief's end of a THE deque. Clone this value for each thread, or share one value among all threads. See the
/// [module](super) for the protocol.
pub struct Thief<T> {
    pub(super) shared: Arc<Shared<T>>,
}

impl<T> Clone for Thief<T> {
    fn clone(&self) -> Self {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: Send> crate::Thief for Thief<T> {
    type Item = T;

    /// Steals the oldest item in O(1), and never waits. If the first check finds the deque empty, a steal costs two loads. In all other
    /// cases a steal costs the lock, one full fence and a copy of the item. A [`Steal::Retry`] means that another thread holds the lock.
    fn steal(&self) -> Steal<T> {
        let shared = &*self.shared;
        let old = &shared.old.0;
        if shared.seems_empty() {
            return Steal::Empty;
        }
        let Some(_held) = old.lock.try_lock() else {
            return Steal::Retry;
        };
        let head = old.head.load(Ordering::Relaxed); // Written under the lock.
        // Relaxed: the lock makes this store visible to other thieves, and the fence makes it
        // visible to the owner.
        old.head.store(head + 1, Ordering::Relaxed);
        fence(orders::STEAL_FENCE);
        if head >= shared.tail.load(orders::STEAL_TAIL) {
            // Relaxed: whether or not the owner sees this store, the owner can take the index again.
            old.head.store(head, Ordering::Relaxed);
            return Steal::Empty;
        }
        // SAFETY: this thread holds the lock, and only this thief has claimed the item. The owner stored the tail that this thief has read
        // after the item, and does not write the slot again before `done` is above the slot's index (README.md, cases 1 to 3 and "slots").
        // `T` is `Send`.
        let read = || unsafe { shared.buffer(|buffer| buffer.take(head)) };
        if !steps::READ_FIRST {
            old.done.store(head + 1, orders::STEAL_DONE);
        }
        let item = read();
        if steps::READ_FIRST {
            old.done.store(head + 1, orders::STEAL_DONE);
        }
        Steal::Success(item)
    }

    /// While a thief reads the last item, this function may still return false.
    fn is_empty(&self) -> bool {
        self.shared.seems_empty()
    }
}
