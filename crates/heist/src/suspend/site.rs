//! What waits for what, for reports.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;

/// A wait: for what kind of thing, where that was made, and where the wait began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The construct's name.
    pub(crate) construct: &'static str,
    /// Where the construct was made.
    pub(crate) made: &'static Location<'static>,
    /// Where the wait began.
    pub(crate) waits: &'static Location<'static>,
}

thread_local! {
    /// What was found wanting on this thread last.
    static LAST: Cell<Option<Site>> = const { Cell::new(None) };
}

// Not inlined: a fiber may go on on another thread after a wait, and must not use an address in the
// first one's thread-local storage again.

/// Notes what is waited for, just before the wait.
#[inline(never)]
pub(crate) fn note_wait(site: Site) {
    LAST.set(Some(site));
}

/// What was noted since this was called last.
#[inline(never)]
pub(super) fn take_wait() -> Option<Site> {
    LAST.take()
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} made at {}, awaited at {}",
            self.construct, self.made, self.waits
        )
    }
}
