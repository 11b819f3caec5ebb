//! The memory orders of the rings, by name. A mutant (`--cfg heist_mutant="..."`) weakens one of
//! them, and the models must notice.

use crate::platform::shim::Ordering;

/// The fence between the claim of a place and the write to it. Release: a reader that sees one of the new words sees
/// the claim. Pairs with [`AFTER_WORDS`].
pub(super) const BEFORE_WORDS: Ordering = if cfg!(heist_mutant = "trace_before_words") {
    Ordering::Acquire
} else {
    Ordering::Release
};
/// The count of entries that are whole. Release: the words of these entries. Pairs with
/// [`SEE_WRITTEN`].
pub(super) const WRITTEN: Ordering = if cfg!(heist_mutant = "trace_written") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
/// The reader's load of the count. Acquire: pairs with [`WRITTEN`].
pub(super) const SEE_WRITTEN: Ordering = if cfg!(heist_mutant = "trace_see_written") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The reader's fence between the words and the second look at the claims. Acquire: pairs with
/// [`BEFORE_WORDS`].
pub(super) const AFTER_WORDS: Ordering = if cfg!(heist_mutant = "trace_after_words") {
    Ordering::Release
} else {
    Ordering::Acquire
};
