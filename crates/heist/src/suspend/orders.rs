//! The memory orders of suspending tasks, by name. A mutant (`--cfg heist_mutant="..."`) weakens
//! one of them, and the models must notice.

use crate::platform::shim::Ordering;

/// A wake-up. Release: the writes before the wake-up, for [`BEGIN`] and [`SUSPEND`], which make the next poll see them.
/// Acquire: the writes of the previous poll into the task, from [`SUSPEND`], which pass on to the thread that takes the
/// task from the queue.
pub(super) const WAKE: Ordering = if cfg!(heist_mutant = "suspend_wake_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "suspend_wake_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The read before a poll. Acquire: pairs with [`WAKE`].
pub(super) const BEGIN: Ordering = if cfg!(heist_mutant = "suspend_begin") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The change after a poll that has not completed the task. Release: the task's contents, for its next waker: pairs
/// with [`WAKE`].
pub(super) const SUSPEND: Ordering = if cfg!(heist_mutant = "suspend_suspend") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The count of an event that delays a task. Release: the event's data. Acquire: the data of the other events, by the
/// thread that counts the last event and wakes the task. Pairs with itself.
pub(super) const DELAYS: Ordering = if cfg!(heist_mutant = "suspend_delays_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "suspend_delays_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// Giving up a reference. Release: the holder's accesses to the memory; pairs with [`FREE`].
pub(super) const DROP: Ordering = if cfg!(heist_mutant = "suspend_drop") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The check by the thread that gives up the last reference: pairs with [`DROP`], and with [`WAKE`], which may also
/// give up a reference.
pub(super) const FREE: Ordering = if cfg!(heist_mutant = "suspend_free") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The drop of a holder of a task's data. Release: the holder's accesses to the data; pairs with [`LAST`].
pub(super) const RELEASE: Ordering = if cfg!(heist_mutant = "suspend_release") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The check by the last holder: pairs with [`RELEASE`].
pub(super) const LAST: Ordering = if cfg!(heist_mutant = "suspend_last") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
