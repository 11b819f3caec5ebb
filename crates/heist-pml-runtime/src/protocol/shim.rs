//! Atomics, locks and cells, from `std` or, in the models, from loom.

#[cfg(heist_model)]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering, fence},
};
#[cfg(not(heist_model))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering, fence},
};

/// A cell that a protocol protects from concurrent accesses.
#[derive(Debug)]
pub(crate) struct Cell<T>(
    #[cfg(heist_model)] loom::cell::UnsafeCell<T>,
    #[cfg(not(heist_model))] std::cell::UnsafeCell<T>,
);

impl<T> Cell<T> {
    pub(crate) fn new(value: T) -> Self {
        #[cfg(heist_model)]
        return Cell(loom::cell::UnsafeCell::new(value));
        #[cfg(not(heist_model))]
        Cell(std::cell::UnsafeCell::new(value))
    }

    /// Returns a pointer to read through. The models fail if another thread may write at the same time.
    pub(crate) fn read(&self) -> *const T {
        #[cfg(heist_model)]
        return self.0.with(|value| value);
        #[cfg(not(heist_model))]
        self.0.get().cast_const()
    }

    /// Returns a pointer to write through. The models fail if another thread may read or write at the same time.
    pub(crate) fn write(&self) -> *mut T {
        #[cfg(heist_model)]
        return self.0.with_mut(|value| value);
        #[cfg(not(heist_model))]
        self.0.get()
    }
}
