//! The memory orders of the private-access deque, by name. A mutant (`--cfg heist_mutant="..."`) weakens one
//! order, and the models must then fail. README.md lists the verdict on each mutant.

use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

/// The owner's second load of the state, before it replies. Pairs with [`TAKEN`], through the CAS of the thief that asked. So all reads of
/// the cell happen before this load, and the owner may write the cell after this load.
pub(super) const ANSWER_LOAD: Ordering = if cfg!(heist_mutant = "private_answer_load") {
    Relaxed
} else {
    Acquire
};
/// The owner's answer: publishes the item in the cell. Pairs with [`TAKE`].
pub(super) const ANSWER_STORE: Ordering = if cfg!(heist_mutant = "private_answer_store") {
    Relaxed
} else {
    Release
};
/// The thief's claim of an answer. Acquire pairs with [`ANSWER_STORE`]. Release serves the owner: if the owner finds its item gone, it must
/// see the thief's earlier effects.
pub(super) const TAKE: Ordering = if cfg!(heist_mutant = "private_take") {
    Relaxed
} else {
    AcqRel
};
/// The store with which a thief releases the mailbox after it has read the cell. Pairs with [`ANSWER_LOAD`].
pub(super) const TAKEN: Ordering = if cfg!(heist_mutant = "private_taken") {
    Relaxed
} else {
    Release
};
/// The store with which the owner records that its ring is empty. This store publishes the owner's earlier answers. Pairs with
/// [`STOCK_LOAD`].
pub(super) const STOCK_EMPTY: Ordering = if cfg!(heist_mutant = "private_stock_empty") {
    Relaxed
} else {
    Release
};
/// The store with which the owner records that it has been dropped. This store publishes the remaining items. Pairs with [`STOCK_LOAD`].
pub(super) const STOCK_LEFT: Ordering = if cfg!(heist_mutant = "private_stock_left") {
    Relaxed
} else {
    Release
};
/// The thief's load of the flag. If the flag says that the ring is empty, the thief sees the answer that
/// emptied the ring. If the flag says that a dropped owner left items, the thief sees these items. Pairs with
/// [`STOCK_EMPTY`] and [`STOCK_LEFT`].
pub(super) const STOCK_LOAD: Ordering = if cfg!(heist_mutant = "private_stock_load") {
    Relaxed
} else {
    Acquire
};
/// The thief's lock on the items that an owner left behind. Pairs with [`REST_UNLOCK`].
pub(super) const REST_LOCK: Ordering = if cfg!(heist_mutant = "private_rest_lock") {
    Relaxed
} else {
    Acquire
};
/// The store with which a thief unlocks the items that an owner left behind. Pairs with [`REST_LOCK`].
pub(super) const REST_UNLOCK: Ordering = if cfg!(heist_mutant = "private_rest_unlock") {
    Relaxed
} else {
    Release
};
