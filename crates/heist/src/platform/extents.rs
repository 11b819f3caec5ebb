//! Extents of all slabs of the process, readable in a signal handler.
//!
//! The extents are a list that only grows: an entry whose slab is gone is reused. Each entry is a
//! sequence lock, so a reader takes no lock and never uses a half-written entry. A reader may miss
//! an entry that changes at that moment, but not the entry of the slab on which it runs.

use super::slab::beginning;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, PoisonError};

static NEWEST: AtomicPtr<Extent> = AtomicPtr::new(ptr::null_mut());
/// Held by the thread that changes an entry or the list.
static WRITER: Mutex<()> = Mutex::new(());

/// The extent of one slab.
#[derive(Debug)]
pub(super) struct Extent {
    /// Odd while the fields below change.
    version: AtomicUsize,
    /// Null if no slab has the entry.
    base: AtomicPtr<u8>,
    bytes: AtomicUsize,
    stride: AtomicUsize,
    guard: AtomicUsize,
    older: *const Extent,
}

// SAFETY: `older` is written before the entry is shared and refers to one that lives for ever; the
// other fields are atomics.
unsafe impl Sync for Extent {}

impl Extent {
    /// Enters a slab of stacks that are `stride` apart, each with a guard page of `guard` bytes at
    /// its low end.
    pub(super) fn enter(
        base: NonNull<u8>,
        bytes: usize,
        stride: usize,
        guard: usize,
    ) -> &'static Self {
        let _writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
        // Relaxed: all writers hold the lock.
        let mut entry = NEWEST.load(Ordering::Relaxed).cast_const();
        // SAFETY: entries live for ever.
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
        // Release: with the acquire of readers, which then see the fields.
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
        // Relaxed: only writers change it, under the lock.
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        // Pairs with the reader's fence: a reader that has seen one of the stores below sees the
        // odd version or a later one in its second look.
        fence(Ordering::Release);
        self.base.store(base, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.stride.store(stride, Ordering::Relaxed);
        self.guard.store(guard, Ordering::Relaxed);
        // Release: pairs with the reader's first load, which then sees these fields or later ones.
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
    /// The end of the stack, where it began to grow down.
    pub(crate) top: NonNull<u8>,
    /// The size of the stack without the guard.
    pub(crate) bytes: usize,
}

/// Returns the stack whose guard contains the address, if the stack is in one of this process's
/// slabs. Async-signal-safe; takes a step for each entry, of which there are as many as there ever
/// were slabs at one time.
pub(crate) fn find_guarded(address: usize) -> Option<Guarded> {
    // Acquire: with the release that made the entry the newest; older ones were made before it.
    let mut entry = NEWEST.load(Ordering::Acquire).cast_const();
    // SAFETY: entries live for ever.
    while let Some(extent) = unsafe { entry.as_ref() } {
        if let Some(found) = extent.guarded(address) {
            return Some(found);
        }
        entry = extent.older;
    }
    None
}
