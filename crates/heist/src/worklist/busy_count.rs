//! The number of members that may still have items; it detects the end of a worklist.

use super::steps;
use crate::platform::shim::{AtomicU64, Ordering, fence};

/// Counts the members that may have an item, in a deque, in hand, or not yet drawn from the seeds. At 0 no
/// item is left, and no thread can make one. See the essay for the argument.
pub(super) struct BusyCount {
    busy: AtomicU64,
}

impl BusyCount {
    /// A count of the first member, and of the seeds that are not yet drawn.
    pub(super) fn new() -> Self {
        BusyCount {
            busy: AtomicU64::new(if steps::SEEDS_COUNT { 2 } else { 1 }),
        }
    }

    /// Counts the caller in, which has no item yet and will get one.
    ///
    /// To be called *before* an item is taken from another member, which may then count itself out.
    pub(super) fn enter(&self) {
        // Relaxed: that this comes before the leaving of the member that loses the item follows from the
        // steal itself (essay, step W5).
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the caller out, which has no item in hand and whose deque is empty.
    pub(super) fn leave(&self) {
        // Acquire: pairs with the release of the thief that emptied the deque, whatever the order of the load
        // that saw it empty. The thief's `enter` then comes before this.
        if steps::LEAVE_FENCE {
            fence(Ordering::Acquire);
        }
        // Relaxed: a caller that waits for results waits for the scope. Enter and leave are ordered above.
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether no item is left and none will come.
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: a member that has found nothing finds nothing later; results come with the end of the
        // scope.
        self.busy.load(Ordering::Relaxed) == 0
    }
}
