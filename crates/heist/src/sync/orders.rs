//! The memory orders of the constructs, each with a name. A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and
//! the models must then fail.

use crate::platform::shim::Ordering;

/// The order of the store that marks a waiter as served. Release publishes the result of the wait, and the server's last access to the
/// waiter. Pairs with [`IS_SERVED`].
pub(super) const SERVE: Ordering = if cfg!(heist_mutant = "sync_serve") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load by which a waiter checks without the lock whether it has been served. Pairs with [`SERVE`].
pub(super) const IS_SERVED: Ordering = if cfg!(heist_mutant = "sync_is_served") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the store that marks a future's outcome, or a cell of an I-structure, as ready. Release publishes the value. Pairs with
/// [`IS_THERE`].
pub(super) const THERE: Ordering = if cfg!(heist_mutant = "sync_there") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load by which a getter checks without the lock whether the value is ready. Pairs with [`THERE`].
pub(super) const IS_THERE: Ordering = if cfg!(heist_mutant = "sync_is_there") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the read-modify-write by which a party signals. Release publishes the party's writes in this phase. Acquire makes the
/// writes of all other parties visible to the party that signals last, which ends the phase. Pairs with the signals of the other parties.
pub(super) const SIGNAL: Ordering = if cfg!(heist_mutant = "sync_signal_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "sync_signal_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The order of the store that ends a phase. Release publishes the writes of all parties in this phase. Pairs with [`PASSED`].
pub(super) const ADVANCE: Ordering = if cfg!(heist_mutant = "sync_advance") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load by which a party checks whether a phase has ended. Pairs with [`ADVANCE`].
pub(super) const PASSED: Ordering = if cfg!(heist_mutant = "sync_passed") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the exchange by which a thread claims the word of a choice. Acquire makes the waker visible that the previous claimant may
/// have stored. Pairs with [`UNCLAIM`].
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_claim") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The order of the store by which a thread releases its claim. Release publishes the waker. Pairs with [`CLAIM`].
pub(super) const UNCLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_unclaim") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the store that decides a choice. Release publishes the exchanged message, the server's earlier writes, and its last access
/// to the waiter. Pairs with [`IS_DECIDED`].
pub(super) const DECIDE: Ordering = if cfg!(heist_mutant = "sync_choice_decide") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The order of the load by which the choice's own future checks whether the choice has been decided. Pairs with [`DECIDE`].
pub(super) const IS_DECIDED: Ordering = if cfg!(heist_mutant = "sync_choice_is_decided") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

/// True if a waiter issues the heavy fence when it waits for a cell of an I-structure. The fence pairs with the light fence of the thread
/// that puts the cell.
pub(super) const QUIET_FENCE: bool = !cfg!(heist_mutant = "sync_quiet_fence");
