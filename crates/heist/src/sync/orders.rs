//! The memory orders of the constructs, by name. A mutant (`--cfg heist_mutant="..."`) weakens one
//! of them, and the models must notice.

use crate::platform::shim::Ordering;

/// A waiter has been served. Release: the result of the wait, and the server's last use of it;
/// pairs with [`IS_SERVED`].
pub(super) const SERVE: Ordering = if cfg!(heist_mutant = "sync_serve") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The waiter checks without the lock whether it has been served. Acquire: pairs with [`SERVE`].
pub(super) const IS_SERVED: Ordering = if cfg!(heist_mutant = "sync_is_served") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A future's value becomes ready. Release: the value; pairs with [`IS_THERE`].
pub(super) const THERE: Ordering = if cfg!(heist_mutant = "sync_there") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The getter checks without the lock whether the outcome is ready. Acquire: pairs with [`THERE`].
pub(super) const IS_THERE: Ordering = if cfg!(heist_mutant = "sync_is_there") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A party signals. Release: the party's part of the phase. Acquire: the party that signals last and ends the phase acquires the
/// others' parts. Pairs with itself.
pub(super) const SIGNAL: Ordering = if cfg!(heist_mutant = "sync_signal_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "sync_signal_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// A phase ends. Release: every party's part of the phase; pairs with [`PASSED`].
pub(super) const ADVANCE: Ordering = if cfg!(heist_mutant = "sync_advance") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// A party checks whether a phase has ended. Acquire: pairs with [`ADVANCE`].
pub(super) const PASSED: Ordering = if cfg!(heist_mutant = "sync_passed") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A thread claims the word of a choice. Acquire: the waker, as the previous claim left it; pairs with [`UNCLAIM`].
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_claim") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// A thread releases its claim. Release: the waker; pairs with [`CLAIM`].
pub(super) const UNCLAIM: Ordering = if cfg!(heist_mutant = "sync_choice_unclaim") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// A thread decides a choice. Release: the exchanged message, the server's earlier writes, and its last access; pairs with
/// [`IS_DECIDED`].
pub(super) const DECIDE: Ordering = if cfg!(heist_mutant = "sync_choice_decide") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The choice's own future checks whether the choice has been decided. Acquire: pairs with [`DECIDE`].
pub(super) const IS_DECIDED: Ordering = if cfg!(heist_mutant = "sync_choice_is_decided") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};

/// Whether a waiter for a cell of an I-structure issues the heavy fence. It pairs with the light fence of the thread that
/// puts the cell.
pub(super) const QUIET_FENCE: bool = !cfg!(heist_mutant = "sync_quiet_fence");
