//! The items with which a worklist begins.

use std::iter::Fuse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most seeds that are drawn at a time. The first time it is one, then twice as many each time: the drawer may have
/// to wait for them.
const MOST: u64 = 256;

/// Seeds that are still to be drawn, by a member that runs out of items.
pub(super) struct Seeds<I> {
    /// Taken out by the drawer, which may take long, and continue on another thread.
    left: Mutex<Option<Left<I>>>,
    /// A hint: none are left.
    dry: AtomicBool,
}

struct Left<I> {
    seeds: Fuse<I>,
    /// Number of seeds that are drawn next.
    block: u64,
}

/// Result of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// The member has drawn some.
    Some {
        /// There is work for others: more than one was drawn, or more are left.
        more: bool,
    },
    /// Another thread is drawing, or none were left before.
    Nothing,
    /// None are left; only one drawer gets this answer.
    Dry,
}

impl<I: Iterator> Seeds<I> {
    pub(super) fn new(seeds: I) -> Self {
        Seeds {
            left: Mutex::new(Some(Left {
                seeds: seeds.fuse(),
                block: 1,
            })),
            dry: AtomicBool::new(false),
        }
    }

    /// A racing view.
    pub(super) fn are_dry(&self) -> bool {
        // Relaxed: the member that has drawn last says so to the busy count.
        self.dry.load(Ordering::Relaxed)
    }

    /// Gives some of the rest to `take`, until that says that it is enough. Calls `begin` before the first is
    /// drawn, if no other thread is drawing and there were some when a thread last looked.
    pub(super) fn draw(
        &self,
        begin: impl FnOnce(),
        mut take: impl FnMut(I::Item) -> bool,
    ) -> Drawn {
        // The member that draws may wait for the iterator; the others need not. If it panics it is gone for good, as
        // the worklist has been stopped.
        let taken = self.left().take_if(|_| !self.are_dry());
        let Some(mut left) = taken else {
            return Drawn::Nothing;
        };
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
        let more = drawn > 1 || left.seeds.size_hint().0 > 0;
        *self.left() = Some(left);
        Drawn::Some { more }
    }

    fn left(&self) -> MutexGuard<'_, Option<Left<I>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
