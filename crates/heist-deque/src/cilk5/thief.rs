//! The thieves' side: steal.

use super::{Shared, orders, steps};
use crate::Steal;
use crate::shim::{Arc, Ordering, fence};

/// A thief's end of a THE deque. Clone it for each thread, or share one among all. See the
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

    /// O(1), and never waits: two loads if the deque is seen to be empty, otherwise the lock, one
    /// full fence and a copy of the item. A [`Steal::Retry`] means that another thread holds the
    /// lock.
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
        // Relaxed: other thieves see it by the lock, and the owner by the fence.
        old.head.store(head + 1, Ordering::Relaxed);
        fence(orders::STEAL_FENCE);
        if head >= shared.tail.load(orders::STEAL_TAIL) {
            // Relaxed: to the owner the index is free again whether it sees this or not.
            old.head.store(head, Ordering::Relaxed);
            return Steal::Empty;
        }
        // SAFETY: this thread has the lock, and the item is this thief's alone; the tail that was
        // read is from after it was put there, and the owner does not write the slot again before
        // `done` lets it (README.md, cases 1 to 3 and "slots"). `T` is `Send`.
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

    /// The deque may be seen not to be empty yet while a thief reads the last item.
    fn is_empty(&self) -> bool {
        self.shared.seems_empty()
    }
}
