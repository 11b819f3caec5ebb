//! The memory for a future's result.

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

/// An outcome. One thread writes the outcome once, and then any number of threads read the outcome.
pub(crate) struct Later<T> {
    /// True once the outcome is ready.
    there: AtomicBool,
    waiting: Locked<Queue>,
    /// The outcome. The outcome is initialised once `there` is set.
    outcome: UnsafeCell<MaybeUninit<Result<T, Panic>>>,
}

impl<T> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later")
            .field("there", &self.there)
            .finish_non_exhaustive()
    }
}

// SAFETY: a single thread has the right to write the outcome, and sets `there` afterwards. Threads read the outcome only after `there` is
// set, and the thread that has the last handle drops or takes the outcome. If the outcome is a panic, many threads may read the payload's
// text, whose type is `Sync`, and only one thread moves the payload.
unsafe impl<T: Send> Send for Later<T> {}
// SAFETY: the same protocol orders all accesses to the outcome. Its readers share a `&T`, which `T: Sync` allows.
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
        // SAFETY: `there` is set, so the outcome is initialised. No thread writes the outcome again while this reference exists.
        let outcome = unsafe { (*self.outcome.get()).assume_init_ref() };
        Some(outcome.as_ref())
    }

    /// Returns the outcome after a wait has ended.
    pub(super) fn expect_there(&self) -> Result<&T, &Panic> {
        self.get()
            .unwrap_or_else(|| unreachable!("the wait ends when it is there"))
    }

    /// Writes the outcome and wakes all waiters.
    ///
    /// # Safety
    /// The caller must call this function at most once.
    pub(super) unsafe fn set(&self, outcome: Result<T, Panic>) {
        // SAFETY: by this function's contract this is the only write, and no thread reads the outcome before `there` is set.
        unsafe { (*self.outcome.get()).write(outcome) };
        // `there` is set before the lock below is taken, because a getter checks `there` under the lock before it queues itself. So
        // the getter sees `there` set, or this thread finds the getter in the queue.
        self.there.store(true, orders::THERE);
        serve_all(&self.waiting, Queue::serve);
    }

    /// Takes the outcome out and returns it, if it is ready.
    ///
    /// # Safety
    /// The caller must ensure that no other thread refers to this value.
    pub(super) unsafe fn take(&self) -> Option<Result<T, Panic>> {
        if !self.there.load(orders::IS_THERE) {
            return None;
        }
        // Relaxed, because no other thread reads the flag.
        self.there.store(false, Ordering::Relaxed);
        // SAFETY: by this function's contract no other thread accesses the outcome. `there` was set, so the outcome is initialised.
        // `there` is not set any more, so the outcome is not read again.
        Some(unsafe { (*self.outcome.get()).assume_init_read() })
    }
}

impl<T> Drop for Later<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self` is exclusive, so no other thread refers to this value.
        drop(unsafe { self.take() });
    }
}

impl<T> Scoped for Later<T> {}

impl<T> Receiver<T> for Later<T> {
    fn receive(&self, result: Result<T, Payload>) {
        // SAFETY: a task ends once, so this call of `set` is the only one.
        unsafe { self.set(result.map_err(Panic::new)) };
    }
}

/// A wait for a future's value. The wait borrows a handle.
#[derive(Debug)]
pub(crate) struct Get<'a, T>(pub(super) &'a Handle<Later<T>>);

/// A wait for a future's value. The wait owns a handle.
#[derive(Debug)]
pub(crate) struct Owned<T>(pub(super) Handle<Later<T>>);

impl<T> Owned<T> {
    /// Runs the future's task on this thread if no worker has begun the task and if the task may run in place.
    pub(in crate::sync) fn help(&self) {
        self.0.run_in_place();
    }

    /// Returns the outcome after the wait has ended.
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
