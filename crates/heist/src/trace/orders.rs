//! The memory orders of the rings, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of these orders, and the models must then
//! fail.

use crate::platform::shim::Ordering;

/// The memory order of the fence between the writer's claim of an entry and its write of the entry's words. Release: a reader that sees a
/// new word also sees the claim. Pairs with [`AFTER_WORDS`].
pub(super) const BEFORE_WORDS: Ordering = if cfg!(heist_mutant = "trace_before_words") {
    Ordering::Acquire
} else {
    Ordering::Release
};
/// The memory order of the store of the count of whole entries. Release publishes the words of these
/// entries, and pairs with [`SEE_WRITTEN`].
pub(super) const WRITTEN: Ordering = if cfg!(heist_mutant = "trace_written") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The memory order of the reader's load of the count of whole entries. Acquire pairs with [`WRITTEN`].
pub(super) const SEE_WRITTEN: Ordering = if cfg!(heist_mutant = "trace_see_written") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of the reader's fence between its loads of the words and its load of the claims.
/// Acquire pairs with [`BEFORE_WORDS`].
pub(super) const AFTER_WORDS: Ordering = if cfg!(heist_mutant = "trace_after_words") {
    Ordering::Release
} else {
    Ordering::Acquire
};
