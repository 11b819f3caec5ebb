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

/// The cheap half of an asymmetric fence: keeps the compiler from moving a load above a store.
/// The processor is stopped from doing so by the other side's heavy fence, when one is needed.
#[inline(always)]
pub(crate) fn light_fence() {
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
    // loom knows no asymmetric fences: the model uses the full fence that the pair amounts to.
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}
