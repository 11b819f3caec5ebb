//! Broken waits. No thread is left that could end a broken wait, so Heist ends it with a panic in the waiter.

use super::site::has_noted_wait;
use crate::task::Payload;
use crate::waiting::Reason;
use crate::worker::local;
use std::cell::Cell;
use std::panic::resume_unwind;

thread_local! {
    /// True if the wait that this thread polls now is part of a reported deadlock.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// A guard that exists during a poll. The guard keeps the mark that the polled wait is part of a
/// deadlock.
#[derive(Debug)]
pub(super) struct Breaking(());

impl Breaking {
    #[inline(never)]
    pub(super) fn set(broken: bool) {
        BROKEN.set(broken);
    }

    /// Sets the mark and returns its old value, which the caller restores later.
    #[inline(never)]
    pub(super) fn replace(broken: bool) -> bool {
        BROKEN.replace(broken)
    }

    /// Marks the polled wait as broken, until the returned value is dropped.
    pub(super) fn begin() -> Self {
        Breaking::set(true);
        Breaking(())
    }
}

impl Drop for Breaking {
    fn drop(&mut self) {
        Breaking::set(false);
    }
}

#[inline(never)]
fn is_broken() -> bool {
    BROKEN.get()
}

/// Panics if the polled wait is broken. A wait that began in an earlier poll calls this function when its event has not occurred.
///
/// # Panics
/// Panics if the wait is part of a deadlock that has been reported.
pub(crate) fn still_waits<R: Into<Reason>>(reason: impl FnOnce() -> Option<R>) {
    if is_broken() {
        if let Some(reason) = reason() {
            give_up(reason.into());
        }
    }
}

/// Returns true if a future waits for a foreign event, and Heist has reported this wait as part of a deadlock. Call this function after a
/// poll of the future has returned `Pending`.
pub(super) fn is_broken_foreign() -> bool {
    is_broken() && !has_noted_wait()
}

fn text(reason: Reason) -> String {
    format!("heist: deadlock: this waits for {reason}, for which nobody is left")
}

/// Returns the payload for a task whose wait is broken.
pub(super) fn payload(reason: Reason) -> Payload {
    Box::new(text(reason))
}

/// Panics because the wait cannot end.
#[cold]
pub(super) fn give_up(reason: Reason) -> ! {
    // The mark is cleared first, because it does not apply to waits of destructors that run during
    // the unwinding.
    Breaking::set(false);
    if local().polled.get().is_null() {
        panic!("{}", text(reason));
    }
    // In a task, the payload goes to the code that gets the task's value, and the report has named the task. So this panic does not call
    // the panic hook; otherwise a million broken tasks would print a million lines.
    resume_unwind(payload(reason))
}
