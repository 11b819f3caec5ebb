//! The place for the result of a future.

use super::Panic;
use crate::platform::shim::{AtomicBool, Ordering};
use crate::suspend::{Handle, Receiver, Scoped};
use crate::sync::monitor::{Condition, Locked, Queue, serve_all};
use crate::sync::orders;
use crate::task::Payload;
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::MaybeUninit;
use std::panic::Location;

/// The place for an outcome that is written once and then read by all.
pub(crate) struct Later<T> {
    /// Whether the outcome is ready.
    there: AtomicBool,
    waiting: Locked<Queue>,
    /// Initialised once `there` is set.
    outcome: UnsafeCell<MaybeUninit<Result<T, Panic>>>,
}

impl<T> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later")
            .field("there", &self.there)
            .finish_non_exhaustive()
    }
}

// SAFETY: one thread has the right to write the outcome, and sets `there` afterwards; threads read the outcome only after that, and
// the holder of the last handle drops or takes it. Many threads may read the text of a panic's payload, which has a type that can
// be shared, and one thread moves the payload.
unsafe impl<T: Send> Send for Later<T> {}
// SAFETY: the same protocol orders all accesses to the outcome, and its readers share a `T` that is `Sync`.
unsafe impl<T: Send + Sync> Sync for Later<T> {}

impl<T> Later<T> {
    pub(super) fn new() -> Self {
        Later {
            there: AtomicBool::new(false),
            waiting: Locked::new(Queue::new()),
            outcome: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    pub(super) fn ready(value: T) -> Self {
        Later {
            there: AtomicBool::new(true),
            waiting: Locked::new(Queue::new()),
            outcome: UnsafeCell::new(MaybeUninit::new(Ok(value))),
        }
    }

    /// Returns the outcome, if it is ready.
    pub(super) fn get(&self) -> Option<Result<&T, &Panic>> {
        if !self.there.load(orders::IS_THERE) {
            return None;
        }
        // SAFETY: `there` is set, so the outcome is initialised and not written any more.
        let outcome = unsafe { (*self.outcome.get()).assume_init_ref() };
        Some(outcome.as_ref())
    }

    /// Returns the outcome, after a wait for it.
    pub(super) fn expect_there(&self) -> Result<&T, &Panic> {
        self.get()
            .unwrap_or_else(|| unreachable!("the wait ends when it is there"))
    }

    /// Writes the outcome and wakes all waiters.
    ///
    /// # Safety
    /// Called at most once.
    pub(super) unsafe fn set(&self, outcome: Result<T, Panic>) {
        // SAFETY: this is the only writer, and no thread reads the outcome before `there` is set.
        unsafe { (*self.outcome.get()).write(outcome) };
        // `there` is set before the lock below is taken: a getter checks it under the lock before it queues itself. So the getter
        // sees it, or is found in the queue.
        self.there.store(true, orders::THERE);
        serve_all(&self.waiting, Queue::serve);
    }

    /// Takes the outcome out, if it is ready.
    ///
    /// # Safety
    /// No other thread refers to this value.
    pub(super) unsafe fn take(&self) -> Option<Result<T, Panic>> {
        if !self.there.load(orders::IS_THERE) {
            return None;
        }
        // Relaxed: no other thread reads it.
        self.there.store(false, Ordering::Relaxed);
        // SAFETY: access is exclusive by contract. The outcome was there, and is not any more.
        Some(unsafe { (*self.outcome.get()).assume_init_read() })
    }
}

impl<T> Drop for Later<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self` gives exclusive access.
        drop(unsafe { self.take() });
    }
}

impl<T> Scoped for Later<T> {}

impl<T> Receiver<T> for Later<T> {
    fn receive(&self, result: Result<T, Payload>) {
        // SAFETY: a task ends once, so this is called once.
        unsafe { self.set(result.map_err(Panic::new)) };
    }
}

/// A wait for a future's value, by a borrowed handle.
#[derive(Debug)]
pub(crate) struct Get<'a, T>(pub(super) &'a Handle<Later<T>>);

/// A wait for a future's value that owns a handle.
#[derive(Debug)]
pub(crate) struct Owned<T>(pub(super) Handle<Later<T>>);

impl<T> Owned<T> {
    /// Runs the future's task here, if no worker has begun it and it may run here.
    pub(in crate::sync) fn help(&self) {
        self.0.run_in_place();
    }

    /// Returns the outcome, after the wait for it.
    pub(in crate::sync) fn outcome(&self) -> Result<&T, &Panic> {
        self.0.expect_there()
    }
}

macro_rules! condition {
    ($asks:ty) => {
        impl<T> Condition for $asks {
            type State = Queue;
            type Output = ();

            fn state(&self) -> &Locked<Queue> {
                &self.0.waiting
            }

            fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
                (&"Future", self.0.origin())
            }

            fn attempt(&mut self, _: &mut Queue) -> Result<(), u64> {
                self.0.get().map(drop).ok_or(0)
            }

            fn queue<'s>(&self, state: &'s mut Queue) -> &'s mut Queue {
                state
            }

            fn served(&mut self) {}

            fn forfeit(&mut self) {}
        }
    };
}

condition!(Get<'_, T>);
condition!(Owned<T>);
