//! What the current thread has found wanting last.

use crate::waiting::Reason;
use std::cell::Cell;

thread_local! {
    static LAST: Cell<Reason> = const { Cell::new(Reason::Foreign) };
}

// Not inlined: a fiber may go on on another thread after a wait, and must not use an address in the
// first one's thread-local storage again.

/// Notes what is waited for, just before the wait.
#[inline(never)]
pub(crate) fn note_wait(reason: Reason) {
    LAST.set(reason);
}

/// Forgets what others noted, before a poll.
#[inline(never)]
pub(super) fn forget_wait() {
    LAST.set(Reason::Foreign);
}

/// What was noted since this was called last; something foreign if nothing was.
#[inline(never)]
pub(super) fn take_wait() -> Reason {
    LAST.replace(Reason::Foreign)
}

/// Whether anything was.
#[inline(never)]
pub(super) fn has_noted_wait() -> bool {
    LAST.get() != Reason::Foreign
}
