//! The memory orders of suspending tasks, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and the models must
//! then fail.

use crate::platform::shim::Ordering;

/// The memory order of a wake-up. Release publishes the writes before the wake-up to [`BEGIN`] and [`SUSPEND`], so that the
/// next poll sees them. Acquire obtains the previous poll's writes to the task from [`SUSPEND`]. The queue then passes
/// these writes on to the thread that takes the task.
pub(super) const WAKE: Ordering = if cfg!(heist_mutant = "suspend_wake_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "suspend_wake_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The memory order of the read before a poll. Acquire pairs with [`WAKE`].
pub(super) const BEGIN: Ordering = if cfg!(heist_mutant = "suspend_begin") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of the change after a poll that has not completed the task. Release publishes the task's contents to
/// the next waker, and pairs with [`WAKE`].
pub(super) const SUSPEND: Ordering = if cfg!(heist_mutant = "suspend_suspend") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the subtraction that counts an event for which a task waits. Release publishes the event's data. Acquire obtains the
/// data of the other events, for the thread that counts the last event and wakes the task. The order pairs with itself.
pub(super) const DELAYS: Ordering = if cfg!(heist_mutant = "suspend_delays_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "suspend_delays_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The memory order of the subtraction that gives up a reference. Release orders the holder's accesses to the memory before the
/// subtraction, and pairs with [`FREE`].
pub(super) const DROP: Ordering = if cfg!(heist_mutant = "suspend_drop") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the load by the thread that gives up the last reference. Pairs with [`DROP`], and with [`WAKE`],
/// because a wake-up may also give up a reference.
pub(super) const FREE: Ordering = if cfg!(heist_mutant = "suspend_free") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of the drop of a holder of a task's data. Release orders the holder's accesses to the data
/// before it, and pairs with [`LAST`].
pub(super) const RELEASE: Ordering = if cfg!(heist_mutant = "suspend_release") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the load by the last holder. Pairs with [`RELEASE`].
pub(super) const LAST: Ordering = if cfg!(heist_mutant = "suspend_last") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
