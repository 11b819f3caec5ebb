//! The memory orders of the FIFO deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one order, and
//! the models must detect this. README.md lists the verdict on each mutant.

use crate::shim::Ordering::{self, Acquire, Relaxed, Release};

/// The owner's load of the head. Pairs with [`STEAL_CAS`]: an owner that finds the deque empty sees the
/// earlier effects of its thieves.
pub(super) const OWNER_HEAD: Ordering = if cfg!(heist_mutant = "fifo_owner_head") {
    Relaxed
} else {
    Acquire
};
/// The owner's put: publishes the slot, and the buffer that contains it. Pairs with [`STEAL_TAIL`].
pub(super) const PUT: Ordering = if cfg!(heist_mutant = "fifo_put") {
    Relaxed
} else {
    Release
};
/// The owner's take. Pairs with [`STEAL_HEAD`]: a thief that sees this head must also see the owner's tail and buffer at the time of the
/// take. (The paper requires no order for this store.)
pub(super) const TAKE: Ordering = if cfg!(heist_mutant = "fifo_take") {
    Relaxed
} else {
    Release
};
/// The owner's publication of a larger buffer. Pairs with [`STEAL_BUFFER`].
pub(super) const GROW: Ordering = if cfg!(heist_mutant = "fifo_grow") {
    Relaxed
} else {
    Release
};
/// The thief's load of the head. Pairs with [`TAKE`] and [`STEAL_CAS`].
pub(super) const STEAL_HEAD: Ordering = if cfg!(heist_mutant = "fifo_steal_head") {
    Relaxed
} else {
    Acquire
};
/// The thief's load of the tail: a thief that sees a tail above an index sees the item of that index, and the buffer. Pairs with [`PUT`].
pub(super) const STEAL_TAIL: Ordering = if cfg!(heist_mutant = "fifo_steal_tail") {
    Relaxed
} else {
    Acquire
};
/// The thief's load of the buffer: the buffer may be newer than the tail that the thief has read. Pairs with [`GROW`].
pub(super) const STEAL_BUFFER: Ordering = if cfg!(heist_mutant = "fifo_steal_buffer") {
    Relaxed
} else {
    Acquire
};
/// The thief's claim. Pairs with [`OWNER_HEAD`] and [`STEAL_HEAD`].
pub(super) const STEAL_CAS: Ordering = if cfg!(heist_mutant = "fifo_steal_cas") {
    Relaxed
} else {
    Release
};
/// The owner's writes of a slot. Pairs with [`SLOT_LOAD`], like the writer's side of a seqlock: if a thief
/// reads a word of the slot's next item, its CAS must find that the head has changed.
pub(super) const SLOT_STORE: Ordering = if cfg!(heist_mutant = "fifo_slot_store") {
    Relaxed
} else {
    Release
};
/// The thief's reads of a slot. Pairs with [`SLOT_STORE`].
pub(super) const SLOT_LOAD: Ordering = if cfg!(heist_mutant = "fifo_slot_load") {
    Relaxed
} else {
    Acquire
};
