//! The memory orders of the Chase-Lev deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one
//! order, and the models must then fail. README.md lists the verdict on each mutant.

use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// The owner's push: publishes the slot, and the buffer that contains it. Pairs with [`STEAL_BOTTOM`].
pub(super) const PUSH_BOTTOM: Ordering = if cfg!(heist_mutant = "chase_lev_push_bottom") {
    Relaxed
} else {
    Release
};
/// The owner's load of the top before it reuses a slot. Pairs with [`STEAL_CAS`]: if the owner sees a top above an index, the thieves'
/// reads of that index's slot are over.
pub(super) const PUSH_TOP: Ordering = if cfg!(heist_mutant = "chase_lev_push_top") {
    Relaxed
} else {
    Acquire
};
/// The owner's publication of a larger buffer. Pairs with [`STEAL_BUFFER`].
pub(super) const GROW_BUFFER: Ordering = if cfg!(heist_mutant = "chase_lev_grow_buffer") {
    Relaxed
} else {
    Release
};
/// The owner's claim of the newest item. Pairs with [`STEAL_BOTTOM`]: since C++20 a plain store ends the release sequence of the push
/// before it, so this store must be a Release to publish the older items.
pub(super) const POP_BOTTOM: Ordering = if cfg!(heist_mutant = "chase_lev_pop_bottom") {
    Relaxed
} else {
    Release
};
/// The owner's half of the Dekker argument: `store bottom; fence; load top`. The thief's half is [`STEAL_FENCE`].
pub(super) const POP_FENCE: Ordering = if cfg!(heist_mutant = "chase_lev_pop_fence") {
    AcqRel
} else {
    SeqCst
};
/// The owner's claim of the last item, in competition with thieves. This claim passes the releases of earlier thieves on to [`PUSH_TOP`].
/// Because the claim is a read-modify-write, it would pass these releases on even with a Relaxed order.
pub(super) const POP_CAS: Ordering = if cfg!(heist_mutant = "chase_lev_pop_cas") {
    Relaxed
} else {
    Release
};
/// The store with which the owner marks the deque as empty after it competed for the last item. Like [`POP_BOTTOM`], this store pairs with
/// [`STEAL_BOTTOM`].
pub(super) const POP_RESTORE: Ordering = if cfg!(heist_mutant = "chase_lev_pop_restore") {
    Relaxed
} else {
    Release
};
/// The thief's half of the Dekker argument: `load top; fence; load bottom`. The owner's half is [`POP_FENCE`].
pub(super) const STEAL_FENCE: Ordering = if cfg!(heist_mutant = "chase_lev_steal_fence") {
    AcqRel
} else {
    SeqCst
};
/// The thief's load of the bottom. A thief that sees a bottom above an index sees the item of that index. Pairs with [`PUSH_BOTTOM`],
/// [`POP_BOTTOM`] and [`POP_RESTORE`].
pub(super) const STEAL_BOTTOM: Ordering = if cfg!(heist_mutant = "chase_lev_steal_bottom") {
    Relaxed
} else {
    Acquire
};
/// The thief's load of the buffer: the buffer may be newer than the bottom that the thief has read. Pairs with [`GROW_BUFFER`].
pub(super) const STEAL_BUFFER: Ordering = if cfg!(heist_mutant = "chase_lev_steal_buffer") {
    Relaxed
} else {
    Acquire
};
/// The thief's claim, which also says that the thief has finished reading the slot. Pairs with [`PUSH_TOP`].
pub(super) const STEAL_CAS: Ordering = if cfg!(heist_mutant = "chase_lev_steal_cas") {
    Relaxed
} else {
    Release
};
