//! The items that a worklist begins with.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};

use super::stint::Draw;

/// How many seeds are drawn at a time.
const BLOCK: u64 = 256;

/// Seeds that are still to be drawn, by whoever runs out of items.
pub(super) struct Seeds<I> {
    left: Mutex<I>,
    /// A hint: nothing is left.
    dry: AtomicBool,
}

impl<I: Iterator> Seeds<I> {
    pub(super) fn new(seeds: I) -> Self {
        Seeds {
            left: Mutex::new(seeds),
            dry: AtomicBool::new(false),
        }
    }

    /// A racing view.
    pub(super) fn are_dry(&self) -> bool {
        // Relaxed: whoever has drawn last says so to the census.
        self.dry.load(Ordering::Relaxed)
    }

    /// Gives some of what is left to `take`.
    pub(super) fn draw(&self, mut take: impl FnMut(I::Item)) -> Draw {
        // Whoever draws may wait for the iterator; the others need not.
        let mut left = match self.left.try_lock() {
            Ok(left) => left,
            // The panic of the iterator has stopped the worklist.
            Err(TryLockError::Poisoned(_) | TryLockError::WouldBlock) => return Draw::Nothing,
        };
        if self.are_dry() {
            return Draw::Nothing;
        }
        let mut drawn = 0;
        while drawn < BLOCK {
            let Some(item) = left.next() else { break };
            take(item);
            drawn += 1;
        }
        if drawn == 0 {
            self.dry.store(true, Ordering::Relaxed);
            return Draw::Dry;
        }
        Draw::Some
    }
}
