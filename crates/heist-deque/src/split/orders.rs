//! The memory orders of the split deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one order,
//! and the models must then fail. README.md lists the verdict on each mutant.

use crate::lock;
use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// The owner's push. A thread that sees the tail sees the slots below this tail, and the owner's earlier
/// writes. Pairs with [`TAIL_LOAD`].
pub(super) const TAIL_PUSH: Ordering = if cfg!(heist_mutant = "split_tail_push") {
    Relaxed
} else {
    Release
};
/// The owner's pop. Also pairs with [`TAIL_LOAD`]. A plain store ends the release sequence of the push before it. So the pop's store must
/// be a Release, because a forcing thief may read it.
pub(super) const TAIL_POP: Ordering = if cfg!(heist_mutant = "split_tail_pop") {
    Relaxed
} else {
    Release
};
/// A forcing thief's read of the tail. Pairs with [`TAIL_PUSH`] and [`TAIL_POP`].
pub(super) const TAIL_LOAD: Ordering = if cfg!(heist_mutant = "split_tail_load") {
    Relaxed
} else {
    Acquire
};
/// The owner's half of the Dekker argument, between the tail's store and the barrier's load. Outside of models this fence only keeps the
/// compiler from reordering the two accesses. The thief's heavy fence keeps the processor from reordering them.
pub(super) const LIGHT_FENCE: Ordering = if cfg!(heist_mutant = "split_light_fence") {
    AcqRel
} else {
    SeqCst
};
/// The thief's half of the Dekker argument, between the barrier's store and the tail's load, as models execute it. Outside of models the
/// caller provides this fence: see [`force`](super::SplitDeque::force).
#[cfg(all(test, loom))]
pub(super) const HEAVY_FENCE: Ordering = if cfg!(heist_mutant = "split_heavy_fence") {
    AcqRel
} else {
    SeqCst
};
/// The memory order of the CAS that makes frames public. Pairs with [`CLAIM`].
pub(super) const EXPOSE: Ordering = if cfg!(heist_mutant = "split_expose") {
    Relaxed
} else {
    Release
};
/// A thief's claim. Pairs with [`EXPOSE`], even if claims and reclaims come in between. Claims and reclaims are read-modify-writes, so they
/// continue the release sequence of the exposure.
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "split_claim") {
    Relaxed
} else {
    Acquire
};
/// The owner's reclaim. A reclaim makes no further frame public, and would continue the release sequence of the exposure even if it were
/// Relaxed. A reclaim is AcqRel so that no argument relies on the release sequence alone.
pub(super) const RECLAIM: Ordering = if cfg!(heist_mutant = "split_reclaim") {
    Relaxed
} else {
    AcqRel
};
/// The store with which the owner moves an empty range. This store makes no frame public, and the next exposure has its own [`EXPOSE`].
pub(super) const REWIND: Ordering = if cfg!(heist_mutant = "split_rewind") {
    Relaxed
} else {
    Release
};
/// A load of the range. The deque itself uses the value only for a compare-and-swap or under the lock. So the Acquire is only for callers
/// that test whether the deque is empty.
pub(super) const RANGE_LOAD: Ordering = if cfg!(heist_mutant = "split_range_load") {
    Relaxed
} else {
    Acquire
};
/// The addition with which a thief records that it has read its slots. Pairs with [`READS_LOAD`].
pub(super) const READS_ADD: Ordering = if cfg!(heist_mutant = "split_reads_add") {
    Relaxed
} else {
    Release
};
/// The owner's load of the number of slots that thieves have read, before it reuses claimed slots. Pairs with [`READS_ADD`].
pub(super) const READS_LOAD: Ordering = if cfg!(heist_mutant = "split_reads_load") {
    Relaxed
} else {
    Acquire
};
/// For an open deque: the owner's half of the Dekker argument, between the tail's store and the head's
/// load. Pairs with [`OPEN_THIEF_FENCE`].
pub(super) const OPEN_OWNER_FENCE: Ordering = if cfg!(heist_mutant = "split_open_owner_fence") {
    AcqRel
} else {
    SeqCst
};
/// For an open deque: the thief's half of the Dekker argument. The fence is between the head's load (Chase and Lev) or the head's store
/// (THE) and the tail's load. Pairs with [`OPEN_OWNER_FENCE`].
pub(super) const OPEN_THIEF_FENCE: Ordering = if cfg!(heist_mutant = "split_open_thief_fence") {
    AcqRel
} else {
    SeqCst
};
/// In Chase and Lev's protocol: the memory order of the CAS with which a thief claims a frame, or the owner claims its last frame. This
/// claim publishes no writes: a thief acquires the content of a slot with the tail. README.md says why this also holds for an owner whose
/// claim fails, and for the reuse of a slot.
pub(super) const OPEN_CLAIM: Ordering = if cfg!(heist_mutant = "split_open_claim") {
    Relaxed
} else {
    AcqRel
};
/// The memory orders with which a thread takes and releases the lock.
#[derive(Debug)]
pub(super) struct OfLock;

impl lock::Orders for OfLock {
    const LOCK: Ordering = if cfg!(heist_mutant = "split_lock") {
        Relaxed
    } else {
        Acquire
    };
    const UNLOCK: Ordering = if cfg!(heist_mutant = "split_unlock") {
        Relaxed
    } else {
        Release
    };
}
