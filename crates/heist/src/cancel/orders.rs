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
