//! The atomics of `std`, or loom's atomics in a model (`--cfg heist_model`).

#[cfg(heist_model)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};
#[cfg(not(heist_model))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};

/// A cell that loom watches in models: a model fails if two threads access the cell at the same
/// time.
#[cfg(heist_model)]
pub(crate) use loom::cell::UnsafeCell as Tracked;

/// A cell that loom watches in models.
#[cfg(not(heist_model))]
#[derive(Debug)]
pub(crate) struct Tracked<T>(std::cell::UnsafeCell<T>);

#[cfg(not(heist_model))]
impl<T> Tracked<T> {
    pub(crate) const fn new(value: T) -> Self {
        Tracked(std::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(crate) fn with_mut<R>(&self, touch: impl FnOnce(*mut T) -> R) -> R {
        touch(self.0.get())
    }
}
