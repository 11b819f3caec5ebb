//! The owner's side: push, pop, poll, and the remaining items.

use super::mailbox::State;
use super::ring::Ring;
use super::stock::Stock;
use super::{Shared, Thief, orders, steps};
use crate::shim::{Arc, Ordering};

/// The owner's end of a private-access deque. A deque has exactly one owner. The owner can move to another thread, but only one thread
/// at a time can use the owner. See the [module](super) for the protocol.
///
/// Thieves get items only when the owner pushes, pops or [polls](Self::poll). After the owner has been dropped, thieves
/// can still take the remaining items. The last thief to be dropped drops the items that are left.
///
/// ```
/// use heist_deque::{Owner as _, Steal, Thief as _, private::Owner};
///
/// let mut owner = Owner::new();
/// let thief = owner.thief();
/// assert_eq!(thief.steal(), Steal::Empty);
/// owner.push("oldest");
/// owner.push("newest");
/// assert_eq!(thief.steal(), Steal::Retry); // The owner has been asked.
/// owner.poll(); // It answers.
/// assert_eq!(thief.steal(), Steal::Success("oldest"));
/// assert_eq!(owner.pop(), Some("newest"));
/// ```
pub struct Owner<T> {
    pub(super) shared: Arc<Shared<T>>,
    /// The items, except for the item that may be in the mailbox.
    pub(super) ring: Ring<T>,
}

impl<T> Owner<T> {
    /// Creates an empty deque, which has no slots before the first push.
    #[must_use]
    pub fn new() -> Self {
        Owner {
            shared: Arc::new(Shared::new()),
            ring: Ring::new(),
        }
    }

    /// Answers a thief's request, if there is one, with the oldest item, even if it is the only item. If the deque is empty, declines the
    /// request. [`push`](crate::Owner::push) and [`pop`](crate::Owner::pop) poll, too. Call `poll` in long work that neither pushes nor
    /// pops, so that thieves do not wait. A poll takes one Relaxed load if no thread has asked, and otherwise O(1), amortised over
    /// shrinking.
    #[inline(always)]
    pub fn poll(&mut self) {
        if self.shared.mailbox.state() == State::Asked {
            self.answer();
        }
    }

    #[cold]
    #[inline(never)]
    fn answer(&mut self) {
        let item = if steps::GIVE_LAST || self.ring.len() > 1 {
            self.ring.pop_oldest()
        } else {
            None
        };
        if item.is_none() && !steps::DECLINE {
            return;
        }
        let emptied = item.is_some() && self.ring.is_empty() && steps::ANSWER_FLAG;
        if emptied && !steps::ANSWER_FIRST {
            self.shared.stock.store(Stock::Empty, orders::STOCK_EMPTY);
        }
        // SAFETY: this is the owner, and `poll` has just seen the request.
        unsafe { self.shared.mailbox.answer(item) };
        if emptied {
            // Store the flag after the answer, because the store publishes the answer.
            self.shared.stock.store(Stock::Empty, orders::STOCK_EMPTY);
        }
    }

    /// Completes a pop that has found the ring empty: takes back the last item if it is in the mailbox.
    #[cold]
    #[inline(never)]
    fn take_back(&mut self) -> Option<T> {
        match self.shared.mailbox.state() {
            // SAFETY: this is the owner.
            State::Answered if steps::TAKE_BACK => unsafe { self.shared.mailbox.take_back() },
            State::Asked => {
                self.answer();
                None
            }
            // An item that a thief is taking belongs to the thief.
            State::Answered | State::Idle | State::Taking => None,
        }
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

    /// Pushes an item in O(1), amortised over growth, without a read-modify-write or a fence. [Polls](Owner::poll).
    #[inline]
    fn push(&mut self, item: T) {
        let first = self.ring.is_empty();
        self.ring.push(item);
        if first && steps::PUSH_FLAG {
            // Relaxed: a thief that reads this value only makes a request, and reads no item because of this value.
            self.shared.stock.store(Stock::Some, Ordering::Relaxed);
        }
        if steps::PUSH_POLLS {
            self.poll();
        }
    }

    /// Pops the newest item in O(1), amortised over shrinking, without a fence. A pop has a CAS only if the last item is an answer that
    /// no thief has taken. [Polls](Owner::poll) after taking the item.
    #[inline]
    fn pop(&mut self) -> Option<T> {
        let Some(item) = self.ring.pop_newest() else {
            return self.take_back();
        };
        if self.ring.is_empty() && steps::POP_FLAG {
            self.shared.stock.store(Stock::Empty, orders::STOCK_EMPTY);
        }
        if steps::POP_POLLS {
            self.poll();
        }
        Some(item)
    }
}

impl<T> Drop for Owner<T> {
    /// Leaves the content of the ring to the thieves. An answer stays in the mailbox, and a request
    /// stays unanswered.
    fn drop(&mut self) {
        if self.ring.is_empty() || !steps::LEAVE {
            return;
        }
        let left = std::mem::take(&mut self.ring);
        // SAFETY: no thief accesses `rest` before it has read `Left`, which this function stores below.
        self.shared.rest.with_mut(|rest| unsafe { *rest = left });
        self.shared.stock.store(Stock::Left, orders::STOCK_LEFT);
    }
}
