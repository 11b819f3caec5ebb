#![doc = include_str!("README.md")]

mod orders;
mod owner;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::marker::PhantomData;

use crate::Item;
use crate::cache_padded::CachePadded;
use crate::ring::{Ring, Rings};
use crate::shim::{AtomicU64, Ordering};
pub use owner::Owner;
pub use thief::Thief;

/// The index of the first item. This index is not 0, so that a pop from an empty deque computes no index below 0.
const FIRST: u64 = 1;

/// State that the owner and the thieves share. The order of the fields (`repr(C)`) puts words that all threads write, and words that only
/// the owner writes, on different cache lines. The owner's two words are on one line, because a thief reads both words.
#[repr(C)]
struct Shared<T: Item> {
    /// The index of the oldest item. Threads change this index only by a CAS that adds one.
    top: CachePadded<AtomicU64>,
    /// The index above the index of the newest item. While the owner pops, this field is the index of the newest item itself. Only the
    /// owner writes this field.
    bottom: AtomicU64,
    /// The newest buffer, and all older buffers. Only the owner writes this field.
    buffers: Rings<T>,
    /// Marks that the items from `top` to `bottom` belong to the deque.
    items: PhantomData<T>,
}

// SAFETY: threads share only atomics and buffers made of atomics, and the raw pointers lead only to buffers,
// which the last holder frees. An item enters once, on one thread, and leaves once, on any thread. So the deque moves it, which `Send`
// allows. No code gets a reference to an item inside the deque, so `Sync` of the items is not needed.
unsafe impl<T: Item + Send> Send for Shared<T> {}
// SAFETY: a shared reference gives access only to atomics, and to buffers that consist of atomics. Any thread may use these.
unsafe impl<T: Item + Send> Sync for Shared<T> {}

impl<T: Item> Shared<T> {
    fn new(capacity: usize) -> Self {
        Shared {
            top: CachePadded(AtomicU64::new(FIRST)),
            bottom: AtomicU64::new(FIRST),
            buffers: Rings::new(capacity),
            items: PhantomData,
        }
    }

    /// Loads the newest buffer with the given memory order.
    #[inline(always)]
    fn buffer(&self, order: Ordering) -> &Ring<T> {
        self.buffers.newest(order)
    }
}

impl<T: Item> Drop for Shared<T> {
    /// Drops the remaining items. If the drop of an item panics, the items after it leak. The slots do not leak, because they belong to
    /// a field.
    fn drop(&mut self) {
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        let top = self.top.0.load(Ordering::Relaxed);
        let bottom = self.bottom.load(Ordering::Relaxed);
        for index in top..bottom {
            let image = self
                .buffer(Ordering::Relaxed)
                .load(index, Ordering::Relaxed);
            // SAFETY: the slot of an index between top and bottom holds a pushed item that no thread has
            // claimed (README.md, the invariant), and no other thread is left to claim it.
            drop(unsafe { image.assume_whole() });
        }
    }
}
