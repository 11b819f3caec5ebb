//! The thieves' side: steal.

use super::anchor::Anchor;
use super::{Shared, orders};
use crate::shim::{Arc, Ordering};
use crate::{AtLeastOnce, Delivery, Item, Steal};

/// A thief's end of a double-ended idempotent deque. Clone this value for each thread, or share one value among all threads. A thief takes
/// the *oldest* item. See the [module](super) for the protocol.
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
        let generation = self.shared.generations.newest(orders::STEAL_GENERATION);
        let seen = Anchor::of(generation.anchor.load(orders::STEAL_ANCHOR));
        if seen.is_closed() {
            return Steal::Retry;
        }
        if seen.size() == 0 {
            return Steal::Empty;
        }
        let slot = seen.head() & (generation.slots.len() - 1);
        // SAFETY: the mask keeps the slot below the capacity, which is a power of two.
        let image = unsafe { generation.slots.load(slot, orders::SLOT_LOAD) };
        match generation.anchor.compare_exchange(
            seen.word(),
            seen.steal(1).word(),
            orders::STEAL_CAS,
            Ordering::Relaxed,
        ) {
            // SAFETY: the owner has put nothing since this thread read the anchor, because otherwise the tag would differ. So the words are
            // those of the put that the load of the anchor made visible (README.md, I2). With exactly-once delivery the CAS has claimed the
            // item. With at-least-once delivery, the item is `Copy`. `T` is `Send`.
            Ok(_) => Steal::Success(unsafe { image.assume_whole() }),
            Err(_) => Steal::Retry,
        }
    }

    fn is_empty(&self) -> bool {
        // The load of the generation is Acquire, because this thread then reads the generation's fields. The load of the anchor is Relaxed,
        // because the anchor is only a hint here.
        let generation = self.shared.generations.newest(orders::STEAL_GENERATION);
        let seen = Anchor::of(generation.anchor.load(Ordering::Relaxed));
        !seen.is_closed() && seen.size() == 0
    }
}
