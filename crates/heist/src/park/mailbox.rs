//! Jobs that other threads leave for the only worker that can run them.

use super::steps;
use crate::platform::shim::{AtomicBool, Mutex, MutexGuard, Ordering};
use std::sync::PoisonError;

/// The number of messages for which an empty mailbox keeps its memory.
const KEPT: usize = 1024;

/// A worker's mailbox: see the README, "Called by name".
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    any: AtomicBool,
    waiting: Mutex<Vec<T>>,
}

impl<T> Mailbox<T> {
    pub(crate) fn new() -> Self {
        Mailbox {
            any: AtomicBool::new(false),
            waiting: Mutex::new(Vec::new()),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a message. If this returns true, the caller must unpark the worker's thread afterwards. If it returns
    /// false, the thread that left an earlier message, which has not been taken yet, unparks it.
    #[must_use]
    pub(crate) fn leave(&self, message: T) -> bool {
        let mut waiting = self.waiting();
        waiting.push(message);
        let first = waiting.len() == 1;
        if first {
            // The worker itself needs no Release, because it takes the messages under the lock. The Release is for a
            // thread that looks for a deadlock.
            self.any.store(true, Ordering::Release);
        }
        steps::MESSAGE_UNPARKS && first
    }

    /// Returns true if there is any message. Any thread may call this: if it finds nothing because the worker has just
    /// taken a message, it sees the worker's earlier effects.
    pub(crate) fn are_there(&self) -> bool {
        // Acquire pairs with the Release in `take`.
        self.any.load(Ordering::Acquire)
    }

    /// Takes all messages, the oldest first. Only the worker calls this.
    pub(crate) fn take(&self, into: &mut impl Extend<T>) {
        let mut waiting = self.waiting();
        into.extend(waiting.drain(..));
        if waiting.capacity() > KEPT {
            *waiting = Vec::new();
        }
        if !steps::MESSAGE_CLEARS {
            drop(waiting);
        }
        // Under the lock, so that the store does not hide a message that is left next. Release pairs with the Acquire
        // in `are_there`, which then sees that the worker is up.
        self.any.store(false, Ordering::Release);
    }
}
