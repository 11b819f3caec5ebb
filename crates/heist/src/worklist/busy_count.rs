//! The number of members that may still have items; it detects the end of a worklist.

use super::steps;
use crate::platform::shim::{AtomicU64, Ordering, fence};

/// Counts the members that may have an item, in a deque, in hand, or not yet drawn from the seeds. At 0 no item is
/// left, and no thread can make one. See the README for the argument.
pub(super) struct BusyCount {
    busy: AtomicU64,
}

impl BusyCount {
    /// Returns a count of the first member, and of the seeds that are not yet drawn.
    pub(super) fn new() -> Self {
        BusyCount {
            busy: AtomicU64::new(if steps::SEEDS_COUNT { 2 } else { 1 }),
        }
    }

    /// Counts the caller, which has no item yet and may get one.
    ///
    /// A thief must call this *before* it takes an item from another member, which may then leave.
    pub(super) fn enter(&self) {
        // Relaxed: the steal itself orders this before the `leave` of the member that loses the item (README, step W5).
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Stops counting the caller, which has no item in hand and whose deque is empty.
    pub(super) fn leave(&self) {
        // Acquire: pairs with the Release of the thief that emptied the deque, whatever the order of the load that saw
        // the deque empty. So the thief's `enter` comes before this `leave`.
        if steps::LEAVE_FENCE {
            fence(Ordering::Acquire);
        }
        // Relaxed: a caller that needs results waits for the scope. The fence above orders `enter` and `leave`.
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns true if no item is left and none will come.
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: once the count is 0 it stays 0 but for members that steal nothing; the end of the scope publishes
        // the results.
        self.busy.load(Ordering::Relaxed) == 0
    }
}
