//! A worker's doorbell: how other threads have its compiled code call the runtime.

use super::shim::{AtomicU32, AtomicUsize, Ordering, fence};
use super::steps;

/// Words that compiled code compares with: a part of the worker's layout. The doorbell is *rung* while `poll` is not 0; an allocation
/// finds out by `limit`.
#[repr(C)]
#[derive(Debug)]
pub struct Doorbell {
    /// End of young objects; 0 to have compiled code call the runtime at its next allocation.
    pub limit: AtomicUsize,
    /// Not 0 to have compiled code call the runtime at its next poll.
    pub poll: AtomicU32,
    /// Not 0 if an idle worker asks for work. Loops read it together with `poll`, as one word.
    pub wanted: AtomicU32,
}

impl Doorbell {
    /// A doorbell of a worker that has no memory yet: its first allocation calls.
    #[must_use]
    pub fn new(rung: bool, wanted: bool) -> Doorbell {
        Doorbell {
            limit: AtomicUsize::new(0),
            poll: AtomicU32::new(rung.into()),
            wanted: AtomicU32::new(wanted.into()),
        }
    }

    /// Makes the worker check for requests at its next poll or allocation. On any thread, also in a signal handler.
    pub fn ring(&self) {
        // Release: pairs with `answer`, so a worker that takes this ring back sees what was written before it.
        self.poll.swap(1, steps::RING);
        // SeqCst: pairs with the fence in `set_limit`: either the worker sees this ring there, or its limit is the older one. Acquire:
        // pairs with the swap in `answer`: a ring that comes after one sees the limit that was set before.
        if steps::RING_FENCE {
            fence(Ordering::SeqCst);
        }
        // Relaxed: compiled code compares with it, and looks at `poll` then.
        self.limit.store(0, Ordering::Relaxed);
    }

    /// Returns true if it is rung. The worker asks.
    #[must_use]
    pub fn is_rung(&self) -> bool {
        // Relaxed: `answer` acquires.
        self.poll.load(Ordering::Relaxed) != 0
    }

    /// The worker takes the rings so far back, and afterwards looks at all requests. With `again` it counts as rung at once.
    pub fn answer(&self, limit: usize, again: bool) {
        // Before the swap: a ring that comes after it stores the newer limit.
        if steps::LIMIT_FIRST {
            self.limit.store(limit, Ordering::Relaxed);
        }
        // AcqRel: Acquire pairs with the swap in `ring`, Release with the fence there.
        self.poll.swap(again.into(), steps::ANSWER);
        if !steps::LIMIT_FIRST {
            self.limit.store(limit, Ordering::Relaxed);
        }
    }

    /// The worker sets the limit of its allocations without an answer: a ring stays, and the next allocation finds it.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        // SeqCst: pairs with the fence in `ring`.
        if steps::LIMIT_FENCE {
            fence(Ordering::SeqCst);
        }
        if steps::LIMIT_LOOK && self.is_rung() {
            self.limit.store(0, Ordering::Relaxed);
        }
    }
}
