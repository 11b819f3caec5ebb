//! The memory orders of the private-access deque, by name. A mutant (`--cfg heist_mutant="..."`)
//! weakens one of them, and the models must notice. README.md lists the verdict on each mutant.

use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

/// The owner's second load of the state, before it replies. Pairs with [`TAKEN`], through the CAS of the thief that asked, so that the
/// owner may write the cell: all reads of it are over.
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
/// The thief's claim of an answer. Acquire pairs with [`ANSWER_STORE`]; Release is for an owner that finds its item gone
/// and must see the thief's earlier effects.
pub(super) const TAKE: Ordering = if cfg!(heist_mutant = "private_take") {
    Relaxed
} else {
    AcqRel
};
/// The thief's release of the mailbox: its read of the cell is over. Pairs with [`ANSWER_LOAD`].
pub(super) const TAKEN: Ordering = if cfg!(heist_mutant = "private_taken") {
    Relaxed
} else {
    Release
};
/// The owner's note that its ring is empty: publishes the answers that it gave before. Pairs with
/// [`STOCK_LOAD`].
pub(super) const STOCK_EMPTY: Ordering = if cfg!(heist_mutant = "private_stock_empty") {
    Relaxed
} else {
    Release
};
/// The owner's note that it is dropped: publishes the remaining items. Pairs with [`STOCK_LOAD`].
pub(super) const STOCK_LEFT: Ordering = if cfg!(heist_mutant = "private_stock_left") {
    Relaxed
} else {
    Release
};
/// The thief's load of the flag: a thief that sees the ring empty sees the answer that emptied it, and
/// a thief that sees that items remain sees these items. Pairs with [`STOCK_EMPTY`] and
/// [`STOCK_LEFT`].
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
/// The thief's unlock of the items that an owner left behind. Pairs with [`REST_LOCK`].
pub(super) const REST_UNLOCK: Ordering = if cfg!(heist_mutant = "private_rest_unlock") {
    Relaxed
} else {
    Release
};
