//! The memory orders and steps of the protocol, by name. A mutant (`--cfg heist_mutant="..."`) weakens
//! one of them, and the models must notice.

use crate::platform::shim::Ordering;

/// C2, the canceller's request. Release: the flag; Acquire: the height up to which hints leave forks out, which it overwrites. Pairs
/// with [`ANSWER`].
pub(crate) const REQUEST: Ordering = if cfg!(heist_mutant = "cancel_request") {
    Ordering::Relaxed
} else {
    Ordering::AcqRel
};
/// F2, the owner takes its request. Acquire: the flag; Release: that height. Pairs with [`REQUEST`].
pub(crate) const ANSWER: Ordering = if cfg!(heist_mutant = "cancel_answer") {
    Ordering::Relaxed
} else {
    Ordering::AcqRel
};
/// E3: an extent that ends is marked as ended.
pub(super) const ERASES: bool = !cfg!(heist_mutant = "cancel_erase");
/// W1: a waiter is in the list before it checks the flag for the last time.
#[cfg_attr(not(heist_model), allow(dead_code, reason = "for the models"))]
pub(super) const LISTED_FIRST: bool = !cfg!(heist_mutant = "cancel_listed_first");
/// A node that is made inside of a cancelled one is cancelled.
pub(super) const INHERITS: bool = !cfg!(heist_mutant = "cancel_born");
/// C2 comes after C1. The mutant tells the workers first.
pub(super) const TELLS_FIRST: bool = cfg!(heist_mutant = "cancel_told_first");
/// C2 holds the lock of a node, in which members end.
pub(super) const TELLS_LOCKED: bool = !cfg!(heist_mutant = "cancel_told_unlocked");
/// W1 checks the flag under the lock.
pub(super) const WATCHES_LOCKED: bool = !cfg!(heist_mutant = "cancel_watch");
/// The first of several panics that cancellation overtakes is kept.
pub(super) const KEEPS_FIRST: bool = !cfg!(heist_mutant = "cancel_panic");
/// A waiter for the end of a node is listed under the lock under which it saw that the node is not over.
pub(super) const ENDS_LOCKED: bool = !cfg!(heist_mutant = "cancel_end");
