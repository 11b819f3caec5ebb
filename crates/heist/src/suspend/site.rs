//! What the current thread has found wanting last.

use crate::waiting::Site;
use std::cell::Cell;

thread_local! {
    static LAST: Cell<Option<Site>> = const { Cell::new(None) };
}

// Not inlined: a fiber may go on on another thread after a wait, and must not use an address in the
// first one's thread-local storage again.

/// Notes what is waited for, just before the wait.
#[inline(never)]
pub(crate) fn note_wait(site: Site) {
    LAST.set(Some(site));
}

/// Forgets what others noted, before a poll.
#[inline(never)]
pub(super) fn forget_wait() {
    LAST.set(None);
}

/// What was noted since this was called last.
#[inline(never)]
pub(super) fn take_wait() -> Option<Site> {
    LAST.take()
}

/// Whether anything was.
#[inline(never)]
pub(super) fn has_noted_wait() -> bool {
    LAST.get().is_some()
}
