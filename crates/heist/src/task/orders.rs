//! The memory orders of the record, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of
//! them, and the models must notice.

use crate::platform::shim::Ordering;

/// The thief's swap at its end. Release: the result; pairs with [`IS_DONE`].
pub(super) const COMPLETE: Ordering = if cfg!(heist_mutant = "record_complete") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The forker's load with which every wait ends. Pairs with [`COMPLETE`].
pub(super) const IS_DONE: Ordering = if cfg!(heist_mutant = "record_is_done") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
