//! The extents of all slabs of the process. A signal handler can read these extents.
//!
//! The extents form a list that only grows. When a slab is gone, its entry is reused. Each entry is a sequence lock, so a reader takes no
//! lock and never uses a half-written entry. A reader may miss an entry that changes while the reader reads it. A reader does not miss the
//! entry of the slab that it looks for, because this entry does not change meanwhile.

use super::slab::beginning;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, PoisonError};

static NEWEST: AtomicPtr<Extent> = AtomicPtr::new(ptr::null_mut());
/// The lock of the thread that changes an entry or the list.
static WRITER: Mutex<()> = Mutex::new(());

/// The extent of one slab.
#[derive(Debug)]
pub(super) struct Extent {
    /// A counter that is odd while the fields below change.
    version: AtomicUsize,
    /// The lowest address of the slab; null if no slab uses the entry.
    base: AtomicPtr<u8>,
    bytes: AtomicUsize,
    stride: AtomicUsize,
    guard: AtomicUsize,
    older: *const Extent,
}

// SAFETY: `older` is written before the entry is shared, and refers to an entry that is never
// freed; the other fields are atomics.
unsafe impl Sync for Extent {}

impl Extent {
    /// Adds an entry for a slab whose stacks begin every `stride` bytes, each with a guard page of
    /// `guard` bytes at its low end.
    pub(super) fn enter(
        base: NonNull<u8>,
        bytes: usize,
        stride: usize,
        guard: usize,
    ) -> &'static Self {
        let _writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
        // Relaxed: all writers take the lock `WRITER` first.
        let mut entry = NEWEST.load(Ordering::Relaxed).cast_const();
        // SAFETY: entries are never freed.
        while let Some(old) = unsafe { entry.as_ref() } {
            if old.base.load(Ordering::Relaxed).is_null() {
                old.write(base.as_ptr(), bytes, stride, guard);
                return old;
            }
            entry = old.older;
        }
        let new = Box::into_raw(Box::new(Extent {
            version: AtomicUsize::new(0),
            base: AtomicPtr::new(base.as_ptr()),
            bytes: AtomicUsize::new(bytes),
            stride: AtomicUsize::new(stride),
            guard: AtomicUsize::new(guard),
            older: NEWEST.load(Ordering::Relaxed),
        }));
        // Release pairs with the Acquire of readers, which then see the fields.
        NEWEST.store(new, Ordering::Release);
        // SAFETY: the entry was just made, and is never freed.
        unsafe { &*new }
    }

    /// Clears the entry of a slab that is about to be unmapped.
    pub(super) fn leave(&self) {
        let _writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(ptr::null_mut(), 0, 0, 0);
    }

    fn write(&self, base: *mut u8, bytes: usize, stride: usize, guard: usize) {
        // Relaxed: only writers change this word, under the lock.
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        // This fence pairs with the reader's fence: if a reader has seen one of the stores below, its second read of the version returns
        // the odd version or a later version.
        fence(Ordering::Release);
        self.base.store(base, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.stride.store(stride, Ordering::Relaxed);
        self.guard.store(guard, Ordering::Relaxed);
        // Release pairs with the reader's first load: the reader then sees these fields or later
        // values.
        self.version.store(version + 2, Ordering::Release);
    }

    /// Returns the stack whose guard contains the address, if it is a stack of this slab.
    fn guarded(&self, address: usize) -> Option<Guarded> {
        let version = self.version.load(Ordering::Acquire);
        let base = self.base.load(Ordering::Relaxed);
        let bytes = self.bytes.load(Ordering::Relaxed);
        let stride = self.stride.load(Ordering::Relaxed);
        let guard = self.guard.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        if version % 2 == 1 || self.version.load(Ordering::Relaxed) != version || base.is_null() {
            return None;
        }
        let offset = address.checked_sub(base.addr()).filter(|o| *o < bytes)?;
        if offset % stride >= guard {
            return None;
        }
        let top = NonNull::new(base.wrapping_add(offset - offset % stride + stride))?;
        Some(Guarded {
            top: beginning(top, guard),
            bytes: stride - guard,
        })
    }
}

/// A stack whose guard was hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guarded {
    /// The end of the stack, from which it grows down.
    pub(crate) top: NonNull<u8>,
    /// The size of the stack without the guard.
    pub(crate) bytes: usize,
}

/// Returns the stack whose guard contains the address, if the stack is in one of this process's slabs. The function is async-signal-safe.
/// The time is linear in the number of entries. The number of entries is the greatest number of slabs that ever existed at the same time.
pub(crate) fn find_guarded(address: usize) -> Option<Guarded> {
    // Acquire pairs with the Release store of `enter` that made this entry the newest. All older entries were made before that store.
    let mut entry = NEWEST.load(Ordering::Acquire).cast_const();
    // SAFETY: entries are never freed.
    while let Some(extent) = unsafe { entry.as_ref() } {
        if let Some(found) = extent.guarded(address) {
            return Some(found);
        }
        entry = extent.older;
    }
    None
}
