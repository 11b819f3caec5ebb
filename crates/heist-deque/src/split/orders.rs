//! The memory orders of the split deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one
//! of them, and the models must notice. README.md lists the verdict on each mutant.

use crate::lock;
use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// Owner's push: a thread that sees the tail sees the slots below it, and the owner's earlier writes.
/// Pairs with [`TAIL_LOAD`].
pub(super) const TAIL_PUSH: Ordering = if cfg!(heist_mutant = "split_tail_push") {
    Relaxed
} else {
    Release
};
/// Owner's pop. Pairs with [`TAIL_LOAD`] too: a plain store ends the release sequence of the push
/// before it, so a forcing thief that reads a popped-to tail needs a Release here.
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
/// Owner's half of the Dekker argument, between the tail's store and the barrier's load. Outside
/// models it binds the compiler only; the other half does the rest.
pub(super) const LIGHT_FENCE: Ordering = if cfg!(heist_mutant = "split_light_fence") {
    AcqRel
} else {
    SeqCst
};
/// The thief's half, between the barrier's store and the tail's load, in the form for models.
/// Outside of models the caller provides this fence: see [`force`](super::SplitDeque::force).
#[cfg(all(test, loom))]
pub(super) const HEAVY_FENCE: Ordering = if cfg!(heist_mutant = "split_heavy_fence") {
    AcqRel
} else {
    SeqCst
};
/// The order of making frames public. Pairs with [`CLAIM`].
pub(super) const EXPOSE: Ordering = if cfg!(heist_mutant = "split_expose") {
    Relaxed
} else {
    Release
};
/// A thief's claim. Pairs with [`EXPOSE`], through others' claims and reclaims too: they are
/// read-modify-writes and so continue its release sequence.
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "split_claim") {
    Relaxed
} else {
    Acquire
};
/// Owner's reclaim. It makes nothing new public, and continues the release sequence of the exposure
/// even when Relaxed; it is AcqRel so that nothing relies on that alone.
pub(super) const RECLAIM: Ordering = if cfg!(heist_mutant = "split_reclaim") {
    Relaxed
} else {
    AcqRel
};
/// Owner's move of an empty range. It makes nothing public; the next exposure has its own [`EXPOSE`].
pub(super) const REWIND: Ordering = if cfg!(heist_mutant = "split_rewind") {
    Relaxed
} else {
    Release
};
/// A look at the range. A caller acts on it by a compare-and-swap or under the lock, so
/// this is for callers that act on a test of emptiness.
pub(super) const RANGE_LOAD: Ordering = if cfg!(heist_mutant = "split_range_load") {
    Relaxed
} else {
    Acquire
};
/// A thief's note that it has read its slots. Pairs with [`READS_LOAD`].
pub(super) const READS_ADD: Ordering = if cfg!(heist_mutant = "split_reads_add") {
    Relaxed
} else {
    Release
};
/// The owner's check before it writes slots again that were claimed. Pairs with [`READS_ADD`].
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
/// For an open deque: the thief's half, between the head's load (Chase and Lev) or store (THE) and the
/// tail's load. Pairs with [`OPEN_OWNER_FENCE`].
pub(super) const OPEN_THIEF_FENCE: Ordering = if cfg!(heist_mutant = "split_open_thief_fence") {
    AcqRel
} else {
    SeqCst
};
/// Chase and Lev: the claim of a thief, and of an owner that takes its last frame. It carries nothing: the
/// content of a slot was acquired with the tail. README.md treats an owner that has lost, and the reuse of a
/// slot.
pub(super) const OPEN_CLAIM: Ordering = if cfg!(heist_mutant = "split_open_claim") {
    Relaxed
} else {
    AcqRel
};
/// The two orders of the lock.
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
