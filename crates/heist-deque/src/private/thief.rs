//! The thieves' side: making requests, taking answers, and taking the items of a dropped owner.

use super::mailbox::State;
use super::ring::Ring;
use super::stock::Stock;
use super::{Shared, steps};
use crate::Steal;
use crate::shim::{Arc, Ordering};

/// A thief's end of a private-access deque. Clone this value for each thread, or share one value among all threads. See
/// the [module](super) for the protocol.
pub struct Thief<T> {
    pub(super) shared: Arc<Shared<T>>,
}

impl<T> Thief<T> {
    /// Takes the oldest of the items that a dropped owner has left. `seen` is the mailbox's state.
    #[cold]
    fn steal_left(&self, seen: State) -> Steal<T> {
        let shared = &*self.shared;
        if !shared.mailbox.lock(seen) {
            return Steal::Retry;
        }
        let item = shared.rest.with_mut(|rest| {
            // SAFETY: `Left` was read with Acquire, so the owner's writes are over. This thread
            // holds the lock, taken with Acquire, so the writes of other thieves are over, too.
            let rest: &mut Ring<T> = unsafe { &mut *rest };
            let item = rest.pop_oldest();
            if rest.is_empty() {
                *rest = Ring::new();
                if steps::REST_FLAG {
                    // Relaxed: the mailbox is empty, too, because otherwise this thief could not have locked it. So a thread that reads
                    // this flag need not see any other write.
                    shared.stock.store(Stock::Empty, Ordering::Relaxed);
                }
            }
            item
        });
        shared.mailbox.unlock();
        item.map_or(Steal::Empty, Steal::Success)
    }
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

    /// Takes the item that the owner has put into the mailbox, even if another thief requested it. If the mailbox is empty but the owner
    /// has items, ensures that there is a request and returns [`Steal::Retry`]. The owner answers at its next push, pop or poll. Never
    /// waits. A thief need not try again after a request, and should not try again immediately (see *Back-off* on the module's page).
    ///
    /// [`Steal::Empty`] means that every item whose push happened before this call has left.
    ///
    /// Takes O(1): two loads, and a CAS to request or take an item.
    fn steal(&self) -> Steal<T> {
        let mailbox = &self.shared.mailbox;
        match self.shared.look() {
            (State::Answered, _) => mailbox.take().map_or(Steal::Retry, Steal::Success),
            (_, Stock::Empty) if steps::FLAG => Steal::Empty,
            (seen @ (State::Idle | State::Asked), Stock::Left) => self.steal_left(seen),
            (State::Idle, _) => {
                mailbox.ask();
                Steal::Retry
            }
            (State::Asked | State::Taking, _) => Steal::Retry,
        }
    }

    fn is_empty(&self) -> bool {
        let (state, stock) = self.shared.look();
        stock == Stock::Empty && state != State::Answered
    }
}
