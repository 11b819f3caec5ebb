//! The memory orders of the count, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of
//! them, and the models must notice.

use crate::platform::shim::Ordering;

/// The count of finished tasks. Release: publishes the tasks' writes. Pairs with [`SETTLE`],
/// [`SETTLED`] and [`IS_DONE`], through later counts too, which continue the release sequence.
pub(super) const FINISH: Ordering = if cfg!(heist_mutant = "count_finish") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The addition of the home thread's part. Acquire pairs with [`FINISH`].
pub(super) const SETTLE: Ordering = if cfg!(heist_mutant = "count_settle") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The check that spares the home thread the addition: all tasks were finished at home.
pub(super) const SETTLED: Ordering = if cfg!(heist_mutant = "count_settled") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The end of a task that has parted from its spawner. Release pairs with the Acquire here and in [`JOINT_CLOSE`], also
/// through later ends, and publishes the task's writes. Acquire: the last task takes the spawner.
pub(super) const JOINT_DONE: Ordering = if cfg!(heist_mutant = "joint_done_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "joint_done_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The end of a spawner that has parted from tasks. Acquire pairs with [`JOINT_DONE`]. Release: the last task takes the
/// spawner.
pub(super) const JOINT_CLOSE: Ordering = if cfg!(heist_mutant = "joint_close_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "joint_close_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The home thread's load while it waits. Pairs with [`FINISH`].
pub(super) const IS_DONE: Ordering = if cfg!(heist_mutant = "count_is_done") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
