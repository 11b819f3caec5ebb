//! A worker's doorbell. Other threads ring a worker's doorbell to make the worker's compiled code call the runtime.

use super::shim::{AtomicU32, AtomicUsize, Ordering, fence};
use super::steps;

/// The words of a worker that compiled code compares at polls and allocations. The doorbell is *rung* while `poll` is not 0. A ring also
/// sets `limit` to 0, so that the next allocation detects the ring.
#[repr(C)]
#[derive(Debug)]
pub struct Doorbell {
    /// End of the memory for young objects. The value 0 makes compiled code call the runtime at its next allocation.
    pub limit: AtomicUsize,
    /// A value other than 0 makes compiled code call the runtime at its next poll.
    pub poll: AtomicU32,
    /// A value other than 0 means that an idle worker requests work. Loops read `wanted` and `poll` together, as one word.
    pub wanted: AtomicU32,
}

impl Doorbell {
    /// Makes the doorbell of a worker that has no memory yet. The worker's first allocation therefore calls the runtime.
    #[must_use]
    pub fn new(rung: bool, wanted: bool) -> Doorbell {
        Doorbell {
            limit: AtomicUsize::new(0),
            poll: AtomicU32::new(rung.into()),
            wanted: AtomicU32::new(wanted.into()),
        }
    }

    /// Makes the worker check for requests at its next poll or allocation. Any thread may call this function, even in a signal handler.
    pub fn ring(&self) {
        // Release: pairs with `answer`, so a worker that takes this ring back sees all writes before the ring.
        self.poll.swap(1, steps::RING);
        // SeqCst: pairs with the fence in `set_limit`: either the worker sees this ring in `set_limit`, or the store below comes after the
        // worker's store of its limit. Acquire: pairs with the swap in `answer`, so a ring that comes after an answer sees the limit that
        // the answer has set.
        if steps::RING_FENCE {
            fence(Ordering::SeqCst);
        }
        // Relaxed: compiled code compares with the limit, and then reads `poll`.
        self.limit.store(0, Ordering::Relaxed);
    }

    /// Returns true if the doorbell is rung. Only the doorbell's own worker may call this function.
    #[must_use]
    pub fn is_rung(&self) -> bool {
        // Relaxed: `answer` acquires.
        self.poll.load(Ordering::Relaxed) != 0
    }

    /// Takes back all rings. After this call, the worker must check for requests of all kinds. If `again` is set, the doorbell stays rung.
    pub fn answer(&self, limit: usize, again: bool) {
        // The limit is set before the swap, so a ring that comes after the swap stores the newer limit.
        if steps::LIMIT_FIRST {
            self.limit.store(limit, Ordering::Relaxed);
        }
        // AcqRel: Acquire pairs with the swap in `ring`, Release with the fence there.
        self.poll.swap(again.into(), steps::ANSWER);
        if !steps::LIMIT_FIRST {
            self.limit.store(limit, Ordering::Relaxed);
        }
    }

    /// Sets the limit of the worker's allocations without taking a ring back. If the doorbell is rung, it stays rung, and the worker's next
    /// allocation detects the ring.
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
