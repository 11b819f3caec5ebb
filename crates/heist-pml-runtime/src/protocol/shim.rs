//! Atomics, locks and cells of `std`, or loom's in the models.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering, fence},
};
#[cfg(not(loom))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering, fence},
};

/// A cell whose users keep out of each other's way by a protocol.
#[derive(Debug)]
pub(crate) struct Cell<T>(
    #[cfg(loom)] loom::cell::UnsafeCell<T>,
    #[cfg(not(loom))] std::cell::UnsafeCell<T>,
);

impl<T> Cell<T> {
    pub(crate) fn new(value: T) -> Self {
        #[cfg(loom)]
        return Cell(loom::cell::UnsafeCell::new(value));
        #[cfg(not(loom))]
        Cell(std::cell::UnsafeCell::new(value))
    }

    /// A pointer to read through. The models end if another thread may write meanwhile.
    pub(crate) fn read(&self) -> *const T {
        #[cfg(loom)]
        return self.0.with(|value| value);
        #[cfg(not(loom))]
        self.0.get().cast_const()
    }

    /// A pointer to write through. The models end if another thread may read or write meanwhile.
    pub(crate) fn write(&self) -> *mut T {
        #[cfg(loom)]
        return self.0.with_mut(|value| value);
        #[cfg(not(loom))]
        self.0.get()
    }
}
