//! Mutexes whose waiters occupy no thread.

use super::{Acquire, Permits, Semaphore};
use crate::sync::monitor::{Wait, constant};
use crate::timer::Elapsed;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A lock around a value. Waiters for the lock occupy no thread.
///
/// Requests are served in the order of arrival, so the mutex is fair. A task may keep the guard across an `.await`, and may move the guard
/// to another thread. A panic while the mutex is locked does not poison it. Use a drop guard to repair data that a panic could leave half
/// changed.
///
/// ```
/// let total = heist::sync::Mutex::new(0);
/// heist::finish(|f| {
///     for i in 1..=10 {
///         let total = &total;
///         f.spawn(move |_| *total.lock() += i);
///     }
/// });
/// assert_eq!(total.into_inner(), 55);
/// ```
pub struct Mutex<T: ?Sized> {
    free: Semaphore,
    value: UnsafeCell<T>,
}

// SAFETY: the semaphore has only one permit, so only one holder at a time accesses the value.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Mutex");
        match self.try_lock() {
            Some(value) => shown.field("value", &&*value),
            None => shown.field("value", &format_args!("<locked>")),
        };
        shown.finish()
    }
}

impl<T> Mutex<T> {
    constant! {
    /// Creates a mutex that is not locked.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Mutex {
            free: Semaphore::named(1, &"Mutex"),
            value: UnsafeCell::new(value),
        }
    }
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks the mutex. Waits until the mutex is free.
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.guard(self.free.acquire(1))
    }

    /// Returns a future that locks the mutex, for async code.
    #[track_caller]
    pub fn lock_async(&self) -> Locking<'_, T> {
        Locking {
            mutex: self,
            wait: self.free.wait(1),
        }
    }

    /// Locks the mutex. Waits until the mutex is free, but at most for `limit`.
    ///
    /// ```
    /// use heist::sync::Mutex;
    /// use std::time::Duration;
    /// let count = Mutex::new(0);
    /// let guard = count.lock();
    /// assert!(count.lock_timeout(Duration::from_millis(1)).is_err());
    /// drop(guard);
    /// *count.lock_timeout(Duration::from_secs(60)).unwrap() += 1;
    /// assert_eq!(count.into_inner(), 1);
    /// ```
    ///
    /// # Errors
    /// Returns an error if the limit passes before the mutex is free.
    #[track_caller]
    pub fn lock_timeout(&self, limit: Duration) -> Result<MutexGuard<'_, T>, Elapsed> {
        Ok(self.guard(self.free.acquire_timeout(1, limit)?))
    }

    /// Locks the mutex if it is free and no waiter is queued.
    #[must_use]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        Some(self.guard(self.free.try_acquire(1)?))
    }

    /// Returns the value without locking, because the mutex is not shared.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    fn guard<'a>(&'a self, permit: Permits<'a>) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex: self,
            _permit: permit,
        }
    }
}

/// The guard of a locked [`Mutex`]. The guard gives access to the value. The drop of the guard unlocks the mutex.
#[must_use = "a guard that is dropped frees the mutex"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    _permit: Permits<'a>,
}

// SAFETY: a shared guard gives shared access to the value, like a `&T`. (The guard is `Send` because its parts are: any thread may
// return the permit, and `&Mutex<T>` can be sent if `T` can.)
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has the only permit, so no other thread accesses the value until the guard is dropped.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard has the only permit, and `&mut self` borrows it exclusively.
        unsafe { &mut *self.mutex.value.get() }
    }
}

/// The future that [`Mutex::lock_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Locking<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    wait: Wait<Acquire<'a>>,
}

impl<'a, T: ?Sized> Future for Locking<'a, T> {
    type Output = MutexGuard<'a, T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<MutexGuard<'a, T>> {
        // SAFETY: only the wait is structurally pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the wait belongs to the pinned `self`, and is not moved before it is dropped in place.
        unsafe { Pin::new_unchecked(&mut this.wait) }
            .poll(context)
            .map(|permit| this.mutex.guard(permit))
    }
}
