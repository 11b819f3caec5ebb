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

/// The index of the first item. This index is not 0, so that a pop from an empty deque computes no index below 0.
const FIRST: u64 = 1;

/// State that the owner and the thieves share. The order of the fields (`repr(C)`) puts the words that the thieves write, and the words
/// that the owner writes, on different cache lines.
#[repr(C)]
struct Shared<T> {
    /// The words of the deque's end with the oldest items.
    old: CachePadded<OldEnd>,
    /// The index above the index of the newest item. While the owner pops, this field is the index of the newest item itself. Only the
    /// owner writes this field.
    tail: AtomicU64,
    /// The buffer. Only the owner writes this field, under the lock. So the owner may read the buffer at any time, whereas other threads
    /// may read it only under the lock.
    buffer: UnsafeCell<Buffer<T>>,
}

/// Words that the thieves write. Threads write `head` and `done` only under the lock.
struct OldEnd {
    /// The index of the oldest remaining item. While a thief tries to take this item, `head` is one higher than the item's index.
    head: AtomicU64,
    /// The index below which all items have been claimed and their slots read. This index never falls, and equals `head` whenever the lock
    /// is free.
    done: AtomicU64,
    lock: Lock<orders::OfLock>,
}

// SAFETY: all threads may use the atomics. README.md shows, under "slots", that no write of a cell races with another access. An item
// enters on one thread and leaves on another thread, and each of these two steps happens exactly once. So the deque moves the item, which
// `Send` allows. No code gets a reference to an item inside the deque, so `Sync` of the items is not needed.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: a shared reference gives access only to atomics, and to cells whose accesses do not race, as README.md shows.
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

    /// Calls `look` with the buffer.
    ///
    /// # Safety
    /// Only the owner or a holder of the lock may call this.
    #[inline(always)]
    unsafe fn buffer<R>(&self, look: impl FnOnce(&Buffer<T>) -> R) -> R {
        // SAFETY: only the owner replaces the buffer, under the lock. The caller is the owner or holds the lock, so no other thread
        // replaces the buffer now. `look` cannot keep the reference.
        self.buffer.with(|buffer| look(unsafe { &*buffer }))
    }

    /// Returns true if there seems to be nothing to steal. The answer is not certain, because this function
    /// has no fence and does not take the lock.
    fn seems_empty(&self) -> bool {
        // Read `done` first. `done` never falls, so if it has reached the tail, the deque was empty at the moment of the tail's read.
        let done = if steps::LOOK_AT_DONE {
            self.old.0.done.load(orders::LOOK_DONE)
        } else {
            self.old.0.head.load(orders::LOOK_DONE)
        };
        // Relaxed: no read of an item depends on this value.
        done >= self.tail.load(Ordering::Relaxed)
    }
}

impl<T> Drop for Shared<T> {
    /// Drops the remaining items, oldest first. If the drop of an item panics, the remaining items are still dropped.
    fn drop(&mut self) {
        struct Left<'a, T> {
            buffer: &'a Buffer<T>,
            indices: Range<u64>,
        }
        impl<T> Left<'_, T> {
            fn drop_all(&mut self) {
                for index in self.indices.by_ref() {
                    // SAFETY: each slot from head to tail holds an item that no thread has taken (README.md, the invariant). No other
                    // thread is left that could take the item, and the range yields each index once.
                    drop(unsafe { self.buffer.take(index) });
                }
            }
        }
        impl<T> Drop for Left<'_, T> {
            /// Drops the remaining items if the drop of an item has panicked.
            fn drop(&mut self) {
                self.drop_all();
            }
        }
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        let head = self.old.0.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        let drop_left = |buffer: &Buffer<T>| {
            let indices = head..tail;
            Left { buffer, indices }.drop_all();
        };
        // SAFETY: `&mut self` means that the owner is gone, and this function takes its place.
        unsafe { self.buffer(drop_left) };
    }
}
