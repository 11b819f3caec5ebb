//! The reason of the current thread's latest wait.

use super::task::Core;
use crate::waiting::Reason;
use crate::worker::local;
use std::cell::Cell;

thread_local! {
    static LAST: Cell<Reason> = const { Cell::new(Reason::Foreign) };
}

// The functions below are not inlined: a fiber may continue on another thread after a wait, and
// must not use an address in the first thread's thread-local storage again.

/// Records the reason of a wait that is about to begin: in the task that this thread polls, or, if
/// the thread polls no task, for the thread itself.
#[inline(never)]
pub(crate) fn note_wait(reason: Reason) {
    if !Core::note(reason) {
        LAST.set(reason);
    }
}

/// Calls `poll` without a current task, although this thread may be polling a task.
#[inline(never)]
pub(super) fn for_no_task<R>(poll: impl FnOnce() -> R) -> R {
    struct Outer(*const Core);
    impl Drop for Outer {
        fn drop(&mut self) {
            local().polled.set(self.0);
        }
    }
    LAST.set(Reason::Foreign);
    let _outer = Outer(local().polled.replace(std::ptr::null()));
    poll()
}

/// Takes the reason that was recorded without a current task since the previous call. If no reason was recorded, returns a foreign event.
#[inline(never)]
pub(super) fn take_wait() -> Reason {
    LAST.replace(Reason::Foreign)
}

/// Returns true if the polled future has recorded a reason.
#[inline(never)]
pub(super) fn has_noted_wait() -> bool {
    Core::noted().unwrap_or_else(|| LAST.get()) != Reason::Foreign
}
