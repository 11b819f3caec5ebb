//! The memory-order shim: the atomics of `std`, or loom's when a model runs (`--cfg loom`).

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    thread::yield_now,
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    thread::yield_now,
};

/// A word that unsynchronised threads both store to and exchange.
#[cfg(not(loom))]
pub(crate) type Swung = AtomicU64;
#[cfg(loom)]
pub(crate) type Swung = crate::modelled::Modelled;

/// The cheap half of an asymmetric fence: keeps the compiler from moving a load above a store. The
/// other side's heavy fence prevents the processor from doing so when it matters.
///
/// loom has no asymmetric fences, so a model gets a full fence, which has the effect of the pair.
#[inline(always)]
pub(crate) fn light_fence(order: Ordering) {
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(order);
    #[cfg(loom)]
    fence(order);
}

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;

/// A cell that is not atomic, with the interface of loom's cell, which checks each access.
#[cfg(not(loom))]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    #[inline(always)]
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `f` to read the content: no thread may write in the meantime.
    #[inline(always)]
    pub(crate) fn with<R>(&self, access: impl FnOnce(*const T) -> R) -> R {
        access(self.0.get())
    }

    /// Calls `f` to write the content: no other thread may use it in the meantime.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}

/// Replaces an [`AtomicPtr`] in a model, where a protocol claims that its relaxed accesses never
/// race: a plain cell, so that loom reports racing accesses.
#[cfg(loom)]
#[derive(Debug)]
pub struct Unraced<T>(loom::cell::UnsafeCell<*mut T>);

// SAFETY: only for models, in which loom reports accesses to the cell that race.
#[cfg(loom)]
unsafe impl<T> Send for Unraced<T> {}
// SAFETY: loom reports racing accesses here, too.
#[cfg(loom)]
unsafe impl<T> Sync for Unraced<T> {}

#[cfg(loom)]
impl<T> Unraced<T> {
    /// These functions have the interface of an atomic.
    pub fn new(value: *mut T) -> Self {
        Unraced(loom::cell::UnsafeCell::new(value))
    }

    pub(crate) fn load(&self, _: Ordering) -> *mut T {
        // SAFETY: loom ends the model if another thread may write meanwhile.
        self.0.with(|cell| unsafe { *cell })
    }

    pub(crate) fn store(&self, value: *mut T, _: Ordering) {
        // SAFETY: loom ends the model if another thread may use it meanwhile.
        self.0.with_mut(|cell| unsafe { *cell = value });
    }
}

/// Atomics whose accesses loom tries in every order.
///
/// loom decides which orders of two accesses differ by the *last* access to the same atomic. When
/// thread A loads, then thread B loads and, after that, stores (or does a CAS), the last access
/// before B's store is B's own load, so loom 0.7.2 never tries B's store before A's load. Here a
/// relaxed read-modify-write of a second atomic comes before each access, and depends on all others
/// of its kind. It orders nothing else unless there is a fence nearby: a protocol with fences would
/// get happens-before edges that it does not have.
#[cfg(loom)]
pub(crate) mod every_order {
    use super::Ordering;

    #[derive(Debug)]
    pub(crate) struct AtomicU32 {
        value: super::AtomicU32,
        turn: super::AtomicU32,
    }

    impl AtomicU32 {
        pub(crate) fn new(value: u32) -> Self {
            AtomicU32 {
                value: super::AtomicU32::new(value),
                turn: super::AtomicU32::new(0),
            }
        }

        fn turn(&self) -> &super::AtomicU32 {
            self.turn.fetch_add(1, Ordering::Relaxed);
            &self.value
        }

        pub(crate) fn load(&self, order: Ordering) -> u32 {
            self.turn().load(order)
        }

        pub(crate) fn store(&self, value: u32, order: Ordering) {
            self.turn().store(value, order);
        }

        pub(crate) fn compare_exchange(
            &self,
            current: u32,
            new: u32,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u32, u32> {
            self.turn().compare_exchange(current, new, success, failure)
        }
    }
}
/// Atomics whose accesses loom tries in every order.
#[cfg(not(loom))]
pub(crate) mod every_order {
    pub(crate) use std::sync::atomic::AtomicU32;
}
