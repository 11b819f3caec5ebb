//! The memory orders of the constructs, each with a name. A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and
//! the models must then fail.

use crate::platform::shim::Ordering;

/// A server marks a waiter as served. Release publishes the result of the wait, and the server's last access to the waiter. Pairs with
/// [`IS_SERVED`].
pub(super) const SERVE: Ordering = if cfg!(heist_mutant = "sync_serve") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// An Acquire load: a waiter checks without the lock whether it has been served. Pairs with [`SERVE`].
pub(super) const IS_SERVED: Ordering = if cfg!(heist_mutant = "sync_is_served") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A future's value becomes ready. Release publishes the value. Pairs with [`IS_THERE`].
pub(super) const THERE: Ordering = if cfg!(heist_mutant = "sync_there") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// An Acquire load: a getter checks without the lock whether the outcome is ready. Pairs with [`THERE`].
pub(super) const IS_THERE: Ordering = if cfg!(heist_mutant = "sync_is_there") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A party signals. Release publishes the party's part of the phase. By Acquire, the party that signals last and ends the phase obtains the
/// parts of the other parties. Pairs with itself.
pub(super) const SIGNAL: Ordering = if cfg!(heist_mutant = "sync_signal_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "sync_signal_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// A phase ends. Release publishes every party's part of the phase. Pairs with [`PASSED`].
pub(super) const ADVANCE: Ordering = if cfg!(heist_mutant = "sync_advance") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// An Acquire load: a party checks whether a phase has ended. Pairs with [`ADVANCE`].
pub(super) const PASSED: Ordering = if cfg!(heist_mutant = "sync_passed") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A thread claims the word of a choice. Acquire obtains the waker that the previous claim left. Pairs with [`UNCLAIM`].
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_claim") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A thread releases its claim. Release publishes the waker. Pairs with [`CLAIM`].
pub(super) const UNCLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_unclaim") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// A thread decides a choice. Release publishes the exchanged message, the server's earlier writes, and its last access to the waiter.
/// Pairs with [`IS_DECIDED`].
pub(super) const DECIDE: Ordering = if cfg!(heist_mutant = "sync_choice_decide") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// An Acquire load: the choice's own future checks whether the choice has been decided. Pairs with [`DECIDE`].
pub(super) const IS_DECIDED: Ordering = if cfg!(heist_mutant = "sync_choice_is_decided") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

/// True if a waiter issues the heavy fence when it waits for a cell of an I-structure. The fence pairs with the light fence of the thread
/// that puts the cell.
pub(super) const QUIET_FENCE: bool = !cfg!(heist_mutant = "sync_quiet_fence");
