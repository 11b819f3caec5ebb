//! The thieves' side: steal.

use super::{Shared, orders};
use crate::shim::{Arc, Ordering};
use crate::{AtLeastOnce, Delivery, Item, Steal};

/// A thief's end of a FIFO deque. Clone this value for each thread, or share one value among all threads. See the
/// [module](super) for the protocol.
pub struct Thief<T: Item, D: Delivery<T> = AtLeastOnce> {
    pub(super) shared: Arc<Shared<T, D>>,
}

impl<T: Item, D: Delivery<T>> Clone for Thief<T, D> {
    fn clone(&self) -> Self {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: Item + Send, D: Delivery<T>> crate::Thief for Thief<T, D> {
    type Item = T;

    /// Steals the oldest item in O(1), with one CAS. This function is lock-free: a [`Steal::Retry`] means that another thread changed the
    /// deque.
    fn steal(&self) -> Steal<T> {
        let shared = &*self.shared;
        let head = shared.head.0.load(orders::STEAL_HEAD);
        let tail = shared.tail.load(orders::STEAL_TAIL);
        // The test is `>=` and not `==`, because the loaded tail may be older than the loaded head.
        if head >= tail {
            return Steal::Empty;
        }
        // If the CAS succeeds, the load of the tail has made the slot's contents visible. If the CAS fails, the words may be anything, and
        // this function does not use them.
        let image = shared
            .buffers
            .newest(orders::STEAL_BUFFER)
            .load(head, orders::SLOT_LOAD);
        match shared
            .head
            .0
            .compare_exchange(head, head + 1, orders::STEAL_CAS, Ordering::Relaxed)
        {
            // SAFETY: the owner has not written the slot since this thread read the head, because the owner had not seen a higher head
            // (README.md, I2). So the words are those of the put that the load of the tail made visible. With exactly-once delivery the CAS
            // has claimed the item. With at-least-once delivery, the item is `Copy`. `T` is `Send`.
            Ok(_) => Steal::Success(unsafe { image.assume_whole() }),
            Err(_) => Steal::Retry,
        }
    }

    fn is_empty(&self) -> bool {
        let head = self.shared.head.0.load(Ordering::Relaxed);
        head >= self.shared.tail.load(Ordering::Relaxed)
    }
}
