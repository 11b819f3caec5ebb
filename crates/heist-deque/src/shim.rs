//! The shim for atomics: the atomics of `std`, or loom's atomics in models (`--cfg loom`).

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

/// A word to which several threads store, and which several threads exchange, without other synchronisation.
#[cfg(not(loom))]
pub(crate) type Swung = AtomicU64;
#[cfg(loom)]
pub(crate) type Swung = crate::modelled::Modelled;

/// Executes the light half of an asymmetric fence, which keeps the compiler from moving a load above a store. The heavy half, in another
/// thread, keeps the processor from moving the load.
///
/// loom has no asymmetric fences, so both halves are full fences in models.
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

    /// Calls `access` to read the content. No thread may write the cell during the call.
    #[inline(always)]
    pub(crate) fn with<R>(&self, access: impl FnOnce(*const T) -> R) -> R {
        access(self.0.get())
    }

    /// Calls `access` to write the content. No other thread may use the cell during the call.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}

/// A plain cell that replaces an [`AtomicPtr`] in models. Use this cell for a protocol whose relaxed accesses must never race, because loom
/// reports racing accesses to a plain cell.
#[cfg(loom)]
#[derive(Debug)]
pub struct Unraced<T>(loom::cell::UnsafeCell<*mut T>);

// SAFETY: this type exists only in models, in which loom reports accesses to the cell that race.
#[cfg(loom)]
unsafe impl<T> Send for Unraced<T> {}
// SAFETY: this type exists only in models, in which loom reports accesses to the cell that race.
#[cfg(loom)]
unsafe impl<T> Sync for Unraced<T> {}

#[cfg(loom)]
impl<T> Unraced<T> {
    /// Creates a cell. The functions of this type have the interface of an atomic.
    pub fn new(value: *mut T) -> Self {
        Unraced(loom::cell::UnsafeCell::new(value))
    }

    pub(crate) fn load(&self, _: Ordering) -> *mut T {
        // SAFETY: loom ends the model if a write by another thread may race with this read.
        self.0.with(|cell| unsafe { *cell })
    }

    pub(crate) fn store(&self, value: *mut T, _: Ordering) {
        // SAFETY: loom ends the model if an access by another thread may race with this write.
        self.0.with_mut(|cell| unsafe { *cell = value });
    }
}

/// Atomics whose accesses loom tries in every order.
///
/// To decide which orders of two accesses differ, loom considers only the *last* access to the same atomic. Suppose that thread A loads,
/// and that thread B then loads and stores (or does a CAS). The last access before B's store is B's own load, so loom 0.7.2 never tries
/// B's store before A's load. So these atomics execute a relaxed read-modify-write of a second atomic before each access, and loom tries
/// these read-modify-writes in every order. The second atomic adds no happens-before edges to a protocol without fences, but would add
/// edges to a protocol with fences.
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
/// Outside of models, this module has the atomics of `std`.
#[cfg(not(loom))]
pub(crate) mod every_order {
    pub(crate) use std::sync::atomic::AtomicU32;
}
