//! The items with which a worklist begins.

use std::iter::Fuse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of seeds that any call of [`draw`](Seeds::draw) takes from the iterator. The first call takes one seed at most. Each
/// call that takes seeds doubles the maximum for the next call, up to `MOST`. The first calls take few seeds, because a call may have to
/// wait for the iterator.
const MOST: u64 = 256;

/// The seeds that are not drawn yet. A member that runs out of items draws some of these seeds.
pub(super) struct Seeds<I> {
    /// The seeds that are left; `None` while a member draws. The member takes the value out of this field,
    /// because its call of `draw` may take a long time, and may continue on another thread.
    left: Mutex<Option<Left<I>>>,
    /// A hint: true if no seeds are left.
    dry: AtomicBool,
}

struct Left<I> {
    seeds: Fuse<I>,
    /// The maximum number of seeds that the next call of [`draw`](Seeds::draw) takes from the iterator.
    block: u64,
}

/// The result of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// The member has drawn some seeds.
    Some {
        /// True if there is work for other members: more than one seed was drawn, or seeds are
        /// left.
        more: bool,
    },
    /// Another thread is drawing, or an earlier `draw` found no seeds left.
    Nothing,
    /// No seeds are left. Only one call of `draw` returns `Dry`.
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

    /// Returns true if no seeds are left (the answer may be outdated).
    pub(super) fn are_dry(&self) -> bool {
        // Relaxed: the value is a hint; the member that has drawn last updates the busy count.
        self.dry.load(Ordering::Relaxed)
    }

    /// Passes some of the remaining seeds to `take`, until `take` returns false. Calls `begin` before it draws the
    /// first seed. If another thread is drawing, or the hint says that no seeds are left, does nothing.
    pub(super) fn draw(
        &self,
        begin: impl FnOnce(),
        mut take: impl FnMut(I::Item) -> bool,
    ) -> Drawn {
        // This member may have to wait for the iterator, so it takes the iterator out of the lock, and other members need not wait. If the
        // iterator panics, the member does not put it back, because the panic stops the worklist.
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
