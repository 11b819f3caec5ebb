//! The number of members that may still have items. The worklist ends when this number is 0.

use super::steps;
use crate::platform::shim::{AtomicU64, Ordering, fence};

/// The number of members that may have an item in their deques or may be processing one, plus 1 until all seeds are
/// drawn. If the count is 0, no item is left, and no thread can make one. See `DESIGN.md` for the argument.
pub(super) struct BusyCount {
    busy: AtomicU64,
}

impl BusyCount {
    /// Returns a count that includes the first member, and the seeds that are not yet drawn.
    pub(super) fn new() -> Self {
        BusyCount {
            busy: AtomicU64::new(if steps::SEEDS_COUNT { 2 } else { 1 }),
        }
    }

    /// Adds the caller. The caller has no item yet, but may get an item.
    ///
    /// A thief must call this method *before* it takes an item from another member, because that member may leave the count as soon as the
    /// item is gone.
    pub(super) fn enter(&self) {
        // Relaxed: the steal itself orders this before the `leave` of the member that loses the item (`DESIGN.md`, step W5).
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Subtracts the caller. The caller must not be processing an item, and its deque must be empty.
    pub(super) fn leave(&self) {
        // The Acquire fence pairs with the Release of the thief that emptied the deque, even if the load that saw the empty deque was
        // Relaxed. So the thief's `enter` comes before this `leave`.
        if steps::LEAVE_FENCE {
            fence(Ordering::Acquire);
        }
        // Relaxed: a thread that needs results waits for the scope. The fence above orders `enter` and `leave`.
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns true if no item is left and none will come.
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: after the count was 0, only members that steal nothing change it; the end of the scope publishes
        // the results.
        self.busy.load(Ordering::Relaxed) == 0
    }
}
