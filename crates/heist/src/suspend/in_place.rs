//! What a thread that waits by `block_on` may run itself.

use super::task::Unbegun;
use crate::spawn::Unjoined;
use crate::worker::hot;
use std::cell::Cell;

/// A task whose end is waited for, and that nobody had begun when the wait began.
#[derive(Debug)]
pub(crate) enum InPlace {
    /// Of a future.
    Task(Unbegun),
    /// Of a `JoinHandle`.
    Spawned(Unjoined),
}

impl InPlace {
    /// Runs it here, if it has not been begun and may be run on this stack. True if it did.
    pub(super) fn run(&self) -> bool {
        match self {
            InPlace::Task(task) => task.run_in_place(),
            InPlace::Spawned(task) => task.run_in_place(),
        }
    }
}

thread_local! {
    /// What was offered last in the current poll.
    static OFFERED: Cell<Option<InPlace>> = const { Cell::new(None) };
}

/// Whether what is polled here is polled by a thread that waits, and not as part of a task.
#[inline(never)]
pub(crate) fn is_polled_by_thread() -> bool {
    hot().polled.get().is_null()
}

/// Offers a task to the thread that polls here and will wait for it.
pub(crate) fn offer(task: InPlace) {
    // Not there any more in destructors of thread-local values: then the thread waits.
    let before = OFFERED.try_with(|offered| offered.replace(Some(task)));
    drop(before);
}

/// What was offered since the last call.
pub(super) fn take_offer() -> Option<InPlace> {
    OFFERED.try_with(Cell::take).ok().flatten()
}
