//! Ends waits that no thread is left to end, by a panic in the waiter.

use super::site::has_noted_wait;
use crate::task::Payload;
use crate::waiting::Reason;
use crate::worker::local;
use std::cell::Cell;
use std::panic::resume_unwind;

thread_local! {
    /// Whether the task that this thread polls now is part of a reported deadlock.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// For the time of a poll: says whether the wait that is polled is part of a deadlock.
#[derive(Debug)]
pub(super) struct Breaking(());

impl Breaking {
    #[inline(never)]
    pub(super) fn set(broken: bool) {
        BROKEN.set(broken);
    }

    /// Sets another value for a while: returns the old one.
    #[inline(never)]
    pub(super) fn replace(broken: bool) -> bool {
        BROKEN.replace(broken)
    }

    /// The polled wait is broken, until this is dropped.
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

/// Call it when a wait that has begun in an earlier poll finds itself unserved.
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

/// Whether a future that was just polled without a result waits for a foreign event that no thread is left to
/// bring.
pub(super) fn is_broken_foreign() -> bool {
    is_broken() && !has_noted_wait()
}

fn text(reason: Reason) -> String {
    format!("heist: deadlock: this waits for {reason}, for which nobody is left")
}

/// Payload for a task whose wait is broken.
pub(super) fn payload(reason: Reason) -> Payload {
    Box::new(text(reason))
}

/// Panics because the wait cannot end.
#[cold]
pub(super) fn give_up(reason: Reason) -> ! {
    // Once: what is waited for while this unwinds is another matter.
    Breaking::set(false);
    if local().polled.get().is_null() {
        panic!("{}", text(reason));
    }
    // Inside a task. Its payload goes to the code that asks for its value, and the report has told of it: a
    // million of them must not print a line each.
    resume_unwind(payload(reason))
}
