//! The memory orders of the LIFO deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one order, and
//! the models must detect this. README.md lists the verdict on each mutant.

use crate::shim::Ordering::{self, Acquire, Relaxed, Release};

/// The owner's load of the anchor. Pairs with [`STEAL_CAS`]: an owner that finds the deque empty sees
/// the earlier effects of its thieves.
pub(super) const OWNER_ANCHOR: Ordering = if cfg!(heist_mutant = "lifo_owner_anchor") {
    Relaxed
} else {
    Acquire
};
/// The owner's put: publishes the slot. Pairs with [`STEAL_ANCHOR`].
pub(super) const PUT: Ordering = if cfg!(heist_mutant = "lifo_put") {
    Relaxed
} else {
    Release
};
/// The owner's take. Pairs with [`STEAL_ANCHOR`]. A thief that reads this store's value must see the items below the taken item. Since
/// C++20 this store ends the release sequence that the put of these items began. So this store itself must be a Release. (The paper
/// requires no order for this store.)
pub(super) const TAKE: Ordering = if cfg!(heist_mutant = "lifo_take") {
    Relaxed
} else {
    Release
};
/// The owner's publication of a generation. Pairs with [`STEAL_GENERATION`].
pub(super) const PUBLISH: Ordering = if cfg!(heist_mutant = "lifo_publish") {
    Relaxed
} else {
    Release
};
/// The thief's load of the generation: its first anchor and the slots copied into it. Pairs with
/// [`PUBLISH`].
pub(super) const STEAL_GENERATION: Ordering = if cfg!(heist_mutant = "lifo_steal_generation") {
    Relaxed
} else {
    Acquire
};
/// The thief's load of the anchor: a thief that sees a tail also sees the items in the slots below this tail. Pairs with [`PUT`] and
/// [`TAKE`].
pub(super) const STEAL_ANCHOR: Ordering = if cfg!(heist_mutant = "lifo_steal_anchor") {
    Relaxed
} else {
    Acquire
};
/// The thief's claim. Pairs with [`OWNER_ANCHOR`].
pub(super) const STEAL_CAS: Ordering = if cfg!(heist_mutant = "lifo_steal_cas") {
    Relaxed
} else {
    Release
};
/// The owner's writes of a slot. Pairs with [`SLOT_LOAD`], like the writer's side of a seqlock: if a thief
/// reads a word of the slot's next item, its CAS must find that the anchor has changed.
pub(super) const SLOT_STORE: Ordering = if cfg!(heist_mutant = "lifo_slot_store") {
    Relaxed
} else {
    Release
};
/// The thief's reads of a slot. Pairs with [`SLOT_STORE`].
pub(super) const SLOT_LOAD: Ordering = if cfg!(heist_mutant = "lifo_slot_load") {
    Relaxed
} else {
    Acquire
};
