//! Jobs that other threads leave for the only worker that can run them.

use super::steps;
use crate::platform::shim::{AtomicBool, Mutex, MutexGuard, Ordering};
use std::sync::PoisonError;

/// The number of messages for which an empty mailbox keeps memory.
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

    /// Leaves a message. If the function returns true, the caller must unpark the worker's thread afterwards. If the function returns
    /// false, the mailbox contains an earlier message. The thread that left the earlier message unparks the worker.
    #[must_use]
    pub(crate) fn leave(&self, message: T) -> bool {
        let mut waiting = self.waiting();
        waiting.push(message);
        let first = waiting.len() == 1;
        if first {
            // The Release serves the thread that looks for deadlocks. The worker itself needs no Release, because it takes the messages
            // under the lock.
            self.any.store(true, Ordering::Release);
        }
        steps::MESSAGE_UNPARKS && first
    }

    /// Returns true if there is any message. Any thread may call this function. If the result is false because the worker has just
    /// taken the messages, the caller sees the worker's earlier writes.
    pub(crate) fn are_there(&self) -> bool {
        // Acquire pairs with the Release in `take`.
        self.any.load(Ordering::Acquire)
    }

    /// Takes all messages. The oldest message comes first. Only the worker calls this function.
    pub(crate) fn take(&self, into: &mut impl Extend<T>) {
        let mut waiting = self.waiting();
        into.extend(waiting.drain(..));
        if waiting.capacity() > KEPT {
            *waiting = Vec::new();
        }
        if !steps::MESSAGE_CLEARS {
            drop(waiting);
        }
        // This store comes under the lock, so that it does not hide a later message. Release pairs with the Acquire in `are_there`: the
        // thread that calls `are_there` then sees that the worker is active.
        self.any.store(false, Ordering::Release);
    }
}
