#![doc = include_str!("README.md")]

mod buffer;
mod orders;
mod owner;
mod steps;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::ops::Range;

use crate::cache_padded::CachePadded;
use crate::lock::Lock;
use crate::shim::{AtomicU64, Ordering, UnsafeCell};
use buffer::Buffer;
pub use owner::Owner;
pub use thief::Thief;

/// The first index. Not 0, so that a pop from an empty deque computes no index below 0.
const FIRST: u64 = 1;

/// State shared by the owner and the thieves. In this order (`repr(C)`), so that words that the thieves write
/// and words that the owner writes are on different cache lines.
#[repr(C)]
struct Shared<T> {
    /// The old end.
    old: CachePadded<OldEnd>,
    /// One above the index of the newest item, or, while the owner pops, that index. Written by
    /// the owner only.
    tail: AtomicU64,
    /// Written by the owner only, and under the lock. So the owner reads it at any time, and all
    /// others under the lock.
    buffer: UnsafeCell<Buffer<T>>,
}

/// Words that the thieves write, all but the lock only under it.
struct OldEnd {
    /// The index of the oldest remaining item, or one above it while a thief tries for it.
    head: AtomicU64,
    /// The indices below it have been claimed and their slots read. Never falls, and equals
    /// `head` whenever the lock is free.
    done: AtomicU64,
    lock: Lock<orders::OfLock>,
}

// SAFETY: the atomics may be used by all, and the cells are used as argued in README.md, under
// "slots": so that no write races with another access. An item enters on one thread and leaves on
// another, each exactly once: that moves it, which `Send` allows. No code gets a reference to an item inside
// the deque, so `Sync` of the items is not needed.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn new(capacity: usize) -> Self {
        Shared {
            old: CachePadded(OldEnd {
                head: AtomicU64::new(FIRST),
                done: AtomicU64::new(FIRST),
                lock: Lock::new(),
            }),
            tail: AtomicU64::new(FIRST),
            buffer: UnsafeCell::new(Buffer::new(capacity)),
        }
    }

    /// Looks at the buffer.
    ///
    /// # Safety
    /// Only for the owner, or under the lock.
    #[inline(always)]
    unsafe fn buffer<R>(&self, look: impl FnOnce(&Buffer<T>) -> R) -> R {
        // SAFETY: the buffer is replaced by the owner under the lock, so not now: the caller is
        // the owner, and so is here, or has the lock. `look` cannot keep the reference.
        self.buffer.with(|buffer| look(unsafe { &*buffer }))
    }

    /// Whether there is nothing to steal, without the fence and the lock that would decide it.
    fn seems_empty(&self) -> bool {
        // In this order: `done` never falls, so a tail that it has reached was reached when it
        // was read.
        let done = if steps::LOOK_AT_DONE {
            self.old.0.done.load(orders::LOOK_DONE)
        } else {
            self.old.0.head.load(orders::LOOK_DONE)
        };
        // Relaxed: nothing is read on the strength of it.
        done >= self.tail.load(Ordering::Relaxed)
    }
}

impl<T> Drop for Shared<T> {
    /// Drops the remaining items, oldest first. If an item's own drop panics, the others still drop.
    fn drop(&mut self) {
        struct Left<'a, T> {
            buffer: &'a Buffer<T>,
            indices: Range<u64>,
        }
        impl<T> Left<'_, T> {
            fn drop_all(&mut self) {
                for index in self.indices.by_ref() {
                    // SAFETY: from head to tail each slot holds an item that no thread has taken (README.md,
                    // the invariant), no other thread is left to take it, and the range gives each index
                    // once.
                    drop(unsafe { self.buffer.take(index) });
                }
            }
        }
        impl<T> Drop for Left<'_, T> {
            /// Has work to do only after a panic.
            fn drop(&mut self) {
                self.drop_all();
            }
        }
        // Relaxed: `&mut self` means that whatever others did happened before.
        let head = self.old.0.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        let drop_left = |buffer: &Buffer<T>| {
            let indices = head..tail;
            Left { buffer, indices }.drop_all();
        };
        // SAFETY: `&mut self`: the owner is gone, and this is in its place.
        unsafe { self.buffer(drop_left) };
    }
}
