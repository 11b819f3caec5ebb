//! Jobs that other threads leave for the only worker that can run them.

use super::steps;
use crate::platform::shim::{AtomicBool, Mutex, MutexGuard, Ordering};
use std::sync::PoisonError;

/// Space that an empty box keeps.
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

    /// Leaves something. If true, the caller must unpark the worker's thread afterwards. If not,
    /// another thread does, which left an earlier message that has not been taken yet.
    #[must_use]
    pub(crate) fn leave(&self, message: T) -> bool {
        let mut waiting = self.waiting();
        waiting.push(message);
        let first = waiting.len() == 1;
        if first {
            // Release: nothing that the worker does not get by the lock; as a rule, for a thread that looks for a
            // deadlock.
            self.any.store(true, Ordering::Release);
        }
        steps::MESSAGE_UNPARKS && first
    }

    /// Whether there is any message. Any thread may call it: if it finds nothing because a message has just been
    /// taken, it sees the worker's earlier effects.
    pub(crate) fn are_there(&self) -> bool {
        // Acquire pairs with the Release in `take`.
        self.any.load(Ordering::Acquire)
    }

    /// The worker: takes all, oldest first.
    pub(crate) fn take(&self, into: &mut impl Extend<T>) {
        let mut waiting = self.waiting();
        into.extend(waiting.drain(..));
        if waiting.capacity() > KEPT {
            *waiting = Vec::new();
        }
        if !steps::MESSAGE_CLEARS {
            drop(waiting);
        }
        // Under the lock, so that it does not hide what is left next. Release pairs with the Acquire in
        // `are_there`: that the worker is up.
        self.any.store(false, Ordering::Release);
    }
}
