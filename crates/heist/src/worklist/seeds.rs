//! The items that a worklist begins with.

use std::iter::Fuse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};

/// The most seeds that are drawn at a time. The first time it is one, then twice as many each time: who draws may have
/// to wait for them.
const MOST: u64 = 256;

/// Seeds that are still to be drawn, by whoever runs out of items.
pub(super) struct Seeds<I> {
    left: Mutex<Left<I>>,
    /// A hint: nothing is left.
    dry: AtomicBool,
}

struct Left<I> {
    seeds: Fuse<I>,
    /// How many are drawn next.
    block: u64,
}

/// What drawing came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// There were some.
    Some {
        /// There is work for others: more than one was drawn, or more are left.
        more: bool,
    },
    /// Somebody else is drawing, or nothing was left before.
    Nothing,
    /// Nothing is left; one drawer alone gets this answer.
    Dry,
}

impl<I: Iterator> Seeds<I> {
    pub(super) fn new(seeds: I) -> Self {
        Seeds {
            left: Mutex::new(Left {
                seeds: seeds.fuse(),
                block: 1,
            }),
            dry: AtomicBool::new(false),
        }
    }

    /// A racing view.
    pub(super) fn are_dry(&self) -> bool {
        // Relaxed: whoever has drawn last says so to the census.
        self.dry.load(Ordering::Relaxed)
    }

    /// Gives some of what is left to `take`, until that says that it is enough. Calls `begin` before the first is
    /// drawn, if nobody else is drawing and there were some when somebody last looked.
    pub(super) fn draw(
        &self,
        begin: impl FnOnce(),
        mut take: impl FnMut(I::Item) -> bool,
    ) -> Drawn {
        // Whoever draws may wait for the iterator; the others need not.
        let mut left = match self.left.try_lock() {
            Ok(left) => left,
            // The panic of the iterator has stopped the worklist.
            Err(TryLockError::Poisoned(_) | TryLockError::WouldBlock) => return Drawn::Nothing,
        };
        if self.are_dry() {
            return Drawn::Nothing;
        }
        begin();
        let mut drawn = 0;
        while drawn < left.block {
            let Some(item) = left.seeds.next() else { break };
            drawn += 1;
            if !take(item) {
                break;
            }
        }
        if drawn == 0 {
            self.dry.store(true, Ordering::Relaxed);
            return Drawn::Dry;
        }
        left.block = (2 * left.block).min(MOST);
        Drawn::Some {
            more: drawn > 1 || left.seeds.size_hint().0 > 0,
        }
    }
}
