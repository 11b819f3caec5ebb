//! How many may still have items: the end of a worklist.

use super::steps;
use crate::platform::shim::{AtomicU64, Ordering, fence};

/// Counts those who may have an item, in a deque, in hand, or not yet drawn from the seeds. At 0 there
/// is no item left, nobody can make one, and the count stays 0. See the essay for the argument.
pub(super) struct Census {
    busy: AtomicU64,
}

impl Census {
    /// The first member, and the seeds that are not yet drawn.
    pub(super) fn new() -> Self {
        Census {
            busy: AtomicU64::new(if steps::SEEDS_COUNT { 2 } else { 1 }),
        }
    }

    /// Counts the caller in, who has no item yet and goes to get one. `false`: it is over.
    ///
    /// To be called *before* an item is taken from somebody, who may then count himself out.
    pub(super) fn enter(&self) -> bool {
        // Relaxed: for 0, which stays. The exchange is ordered below.
        let mut seen = self.busy.load(Ordering::Relaxed);
        while seen > 0 || !steps::STAYS_OVER {
            // Relaxed: that this comes before the leaving of whoever loses the item follows from the
            // steal itself (essay, step 3).
            match self.busy.compare_exchange_weak(
                seen,
                seen + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Counts the caller out, who has no item in hand and whose deque is empty.
    pub(super) fn leave(&self) {
        // Acquire: pairs with the release of the thief who emptied the deque, whatever the order
        // of the load that saw it empty. His `enter` then comes before this.
        if steps::LEAVE_FENCE {
            fence(Ordering::Acquire);
        }
        // Relaxed: whoever waits for results waits for the scope. Enter and leave are ordered above.
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether no item is left and none will come.
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: 0 stays.
        self.busy.load(Ordering::Relaxed) == 0
    }
}
