//! The thieves' side: steal.

use super::{Shared, orders};
use crate::shim::{Arc, Ordering, fence};
use crate::{Item, Steal};

/// A thief's end of a Chase-Lev deque. Clone this value for each thread, or share one value among all threads. See the
/// [module](super) for the protocol.
pub struct Thief<T: Item> {
    pub(super) shared: Arc<Shared<T>>,
}

impl<T: Item> Clone for Thief<T> {
    fn clone(&self) -> Self {
        Thief {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: Item + Send> crate::Thief for Thief<T> {
    type Item = T;

    /// Steals the oldest item in O(1), with one full fence and one CAS. This function is lock-free: a [`Steal::Retry`] means that another
    /// thread got the item.
    fn steal(&self) -> Steal<T> {
        let shared = &*self.shared;
        // Relaxed: the fence orders this load before the load of the bottom, and the CAS checks the
        // value.
        let top = shared.top.0.load(Ordering::Relaxed);
        fence(orders::STEAL_FENCE);
        let bottom = shared.bottom.load(orders::STEAL_BOTTOM);
        if top >= bottom {
            return Steal::Empty;
        }
        // Relaxed: if the CAS succeeds, the load of the bottom has made the slot's contents visible. If the CAS fails, the loaded words may
        // be torn or belong to a later item, and this function does not use them.
        let image = shared
            .buffer(orders::STEAL_BUFFER)
            .load(top, Ordering::Relaxed);
        match shared
            .top
            .0
            .compare_exchange(top, top + 1, orders::STEAL_CAS, Ordering::Relaxed)
        {
            // SAFETY: because of the CAS no other thread can claim the index, and the words are those of the owner's `push`, which happened
            // before the load of the bottom (README.md, cases 2 and 3). `T` is `Send`.
            Ok(_) => Steal::Success(unsafe { image.assume_whole() }),
            Err(_) => Steal::Retry,
        }
    }

    fn is_empty(&self) -> bool {
        let top = self.shared.top.0.load(Ordering::Relaxed);
        top >= self.shared.bottom.load(Ordering::Relaxed)
    }
}
