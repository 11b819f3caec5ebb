//! The memory orders and steps of the protocol, by name. A mutant (`--cfg heist_mutant="..."`) weakens one order or omits one step, and the
//! models must then fail.

use crate::platform::shim::Ordering;

/// The memory order of the canceller's request (C2). Release publishes the flag. Acquire obtains the worker's limit above which `join_hint`
/// omits forks; the canceller then overwrites this limit. Pairs with [`ANSWER`].
pub(crate) const REQUEST: Ordering = if cfg!(heist_mutant = "cancel_request") {
    Ordering::Relaxed
} else {
    Ordering::AcqRel
};
/// The memory order of the exchange by which the owner takes the request (F2). Acquire obtains the flag. Release publishes the worker's
/// limit above which `join_hint` omits forks. Pairs with [`REQUEST`].
pub(crate) const ANSWER: Ordering = if cfg!(heist_mutant = "cancel_answer") {
    Ordering::Relaxed
} else {
    Ordering::AcqRel
};
/// A worker that leaves a scope marks the newest extent as ended (E3).
pub(super) const ERASES: bool = !cfg!(heist_mutant = "cancel_erase");
/// W1: a waiter is listed before it checks the flag for the last time.
#[cfg_attr(not(heist_model), allow(dead_code, reason = "for the models"))]
pub(super) const LISTED_FIRST: bool = !cfg!(heist_mutant = "cancel_listed_first");
/// A node that is created inside of a cancelled node is cancelled.
pub(super) const INHERITS: bool = !cfg!(heist_mutant = "cancel_born");
/// True in the mutant in which the canceller sends the requests (C2) before it sets the flags (C1). In the protocol, the canceller sends
/// the requests afterwards.
pub(super) const TELLS_FIRST: bool = cfg!(heist_mutant = "cancel_told_first");
/// The canceller holds the lock of a node during C2, and a member of the node ends only under that lock.
pub(super) const TELLS_LOCKED: bool = !cfg!(heist_mutant = "cancel_told_unlocked");
/// A waiter checks the flag under the lock of the node (W1).
pub(super) const WATCHES_LOCKED: bool = !cfg!(heist_mutant = "cancel_watch");
/// The node keeps the first of several panics that cancellation hides.
pub(super) const KEEPS_FIRST: bool = !cfg!(heist_mutant = "cancel_panic");
/// A waiter for the end of a node checks that the node is not over, and enters the list, in one
/// critical section.
pub(super) const ENDS_LOCKED: bool = !cfg!(heist_mutant = "cancel_end");
