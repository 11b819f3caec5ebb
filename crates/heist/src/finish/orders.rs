//! Names for the memory orders of two counts: a scope's unfinished tasks (`count.rs`), and the tasks for which a spawner in a work-first
//! scope waits after its end (`joint.rs`). A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and the models must then
//! fail.

use crate::platform::shim::Ordering;

/// The memory order of the subtraction by which a thread reports finished tasks. Release publishes the tasks' writes. The Release pairs
/// with [`SETTLE`], [`SETTLED`] and [`IS_DONE`], even if other threads count tasks in between, because their read-modify-writes continue
/// the release sequence.
pub(super) const FINISH: Ordering = if cfg!(heist_mutant = "count_finish") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the addition of the home thread's part to `remote`. Acquire pairs with [`FINISH`].
pub(super) const SETTLE: Ordering = if cfg!(heist_mutant = "count_settle") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of a load in `settle`: if no other thread has tasks left to report, the home thread avoids
/// the addition. Acquire pairs with [`FINISH`].
pub(super) const SETTLED: Ordering = if cfg!(heist_mutant = "count_settled") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of the end of a task that has parted from its spawner. Release publishes the task's writes. The Release
/// pairs with the Acquire of this order and of [`JOINT_CLOSE`], even if other tasks end in between. Acquire is for the
/// last task, which takes the spawner.
pub(super) const JOINT_DONE: Ordering = if cfg!(heist_mutant = "joint_done_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "joint_done_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The memory order of the end of a spawner that has parted from tasks. Acquire pairs with [`JOINT_DONE`]. Release is for the
/// last task, which takes the spawner.
pub(super) const JOINT_CLOSE: Ordering = if cfg!(heist_mutant = "joint_close_release") {
    Ordering::Acquire
} else if cfg!(heist_mutant = "joint_close_acquire") {
    Ordering::Release
} else {
    Ordering::AcqRel
};
/// The memory order of the home thread's load while it waits. Acquire pairs with [`FINISH`].
pub(super) const IS_DONE: Ordering = if cfg!(heist_mutant = "count_is_done") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
