//! The memory orders of the THE deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one order, and
//! the models must detect this. README.md lists the verdict on each mutant.

use crate::lock;
use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// The owner's push: publishes the slot. Pairs with [`STEAL_TAIL`].
pub(super) const PUSH_TAIL: Ordering = if cfg!(heist_mutant = "cilk5_push_tail") {
    Relaxed
} else {
    Release
};
/// The owner's load of `done` before it reuses a slot. Pairs with [`STEAL_DONE`]: if the owner sees a `done` above an index, the thief has
/// read the slot of that index.
pub(super) const PUSH_DONE: Ordering = if cfg!(heist_mutant = "cilk5_push_done") {
    Relaxed
} else {
    Acquire
};
/// The owner's claim of the newest item. Pairs with [`STEAL_TAIL`]. A thief that reads this store's value must see the older items. Since
/// C++20 this store ends the release sequence that the push of these items began. So this store itself must be a Release.
pub(super) const POP_TAIL: Ordering = if cfg!(heist_mutant = "cilk5_pop_tail") {
    Relaxed
} else {
    Release
};
/// The owner's half of the Dekker argument: `store tail; fence; load head`. The thief's half is [`STEAL_FENCE`].
pub(super) const POP_FENCE: Ordering = if cfg!(heist_mutant = "cilk5_pop_fence") {
    AcqRel
} else {
    SeqCst
};
/// The thief's half of the Dekker argument: `store head; fence; load tail`. The owner's half is [`POP_FENCE`].
pub(super) const STEAL_FENCE: Ordering = if cfg!(heist_mutant = "cilk5_steal_fence") {
    AcqRel
} else {
    SeqCst
};
/// The thief's load of the tail: a thief that sees a tail above an index sees the item of that index. Pairs with [`PUSH_TAIL`] and
/// [`POP_TAIL`].
pub(super) const STEAL_TAIL: Ordering = if cfg!(heist_mutant = "cilk5_steal_tail") {
    Relaxed
} else {
    Acquire
};
/// The store with which a thief records that it has read its slot. Pairs with [`PUSH_DONE`] and [`LOOK_DONE`].
pub(super) const STEAL_DONE: Ordering = if cfg!(heist_mutant = "cilk5_steal_done") {
    Relaxed
} else {
    Release
};
/// A load of `done` before the load of the tail. So the loaded tail is at least as new as the tail that the thieves saw before they
/// advanced `done`. Pairs with [`STEAL_DONE`].
pub(super) const LOOK_DONE: Ordering = if cfg!(heist_mutant = "cilk5_look_done") {
    Relaxed
} else {
    Acquire
};

/// The memory orders with which a thread takes and releases the lock.
pub(super) struct OfLock;

impl lock::Orders for OfLock {
    const LOCK: Ordering = if cfg!(heist_mutant = "cilk5_lock") {
        Relaxed
    } else {
        Acquire
    };
    const UNLOCK: Ordering = if cfg!(heist_mutant = "cilk5_unlock") {
        Relaxed
    } else {
        Release
    };
}
