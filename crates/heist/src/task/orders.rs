//! The memory orders of the record, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and the models must then
//! fail.

use crate::platform::shim::Ordering;

/// The memory order of the thief's swap at the end of a frame. Release publishes the result, and pairs
/// with [`IS_DONE`].
pub(super) const COMPLETE: Ordering = if cfg!(heist_mutant = "record_complete") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the forker's load with which every wait ends. Acquire pairs with [`COMPLETE`].
pub(super) const IS_DONE: Ordering = if cfg!(heist_mutant = "record_is_done") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
