#![doc = include_str!("README.md")]

mod orders;
mod owner;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::marker::PhantomData;
use std::mem::needs_drop;

use crate::cache_padded::CachePadded;
use crate::ring::Rings;
use crate::shim::{AtomicU64, Ordering, Swung};
use crate::{Delivery, Item};
pub use owner::Owner;
pub use thief::Thief;

/// State that the owner and the thieves share. The order of the fields (`repr(C)`) puts words that all threads write, and words that only
/// the owner writes, on different cache lines.
#[repr(C)]
struct Shared<T: Item, D> {
    /// The index of the oldest item. Thieves raise this index by CAS. The owner stores the index, and may lower it.
    head: CachePadded<Swung>,
    /// The index above the index of the newest item. Only the owner writes this field.
    tail: AtomicU64,
    /// The newest buffer, and all older buffers. Only the owner writes this field.
    buffers: Rings<T>,
    /// Marks that the items from `head` to `tail` belong to the deque.
    items: PhantomData<(T, D)>,
}

// SAFETY: threads share only atomics and buffers made of atomics, which the last holder frees. An item enters on one thread and leaves on
// other threads. If an item leaves once, the deque moves it. Only items of `Copy` types leave more than once, and the deque copies these
// items. `Send` allows moves and copies. No code gets a reference to an item inside of the deque.
unsafe impl<T: Item + Send, D: Delivery<T>> Send for Shared<T, D> {}
// SAFETY: a shared reference gives access only to atomics, and to buffers that consist of atomics. Any thread may use these.
unsafe impl<T: Item + Send, D: Delivery<T>> Sync for Shared<T, D> {}

impl<T: Item, D> Shared<T, D> {
    fn new(capacity: usize) -> Self {
        Shared {
            head: CachePadded(Swung::new(0)),
            tail: AtomicU64::new(0),
            buffers: Rings::new(capacity),
            items: PhantomData,
        }
    }
}

impl<T: Item, D> Drop for Shared<T, D> {
    /// Drops the remaining items. If the drop of an item panics, the items after it leak.
    fn drop(&mut self) {
        if !needs_drop::<T>() {
            return;
        }
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        let head = self.head.0.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        for index in head..tail {
            let image = self
                .buffers
                .newest(Ordering::Relaxed)
                .load(index, Ordering::Relaxed);
            // SAFETY: the slot of an index between head and tail holds the item of a put. The item's type has a destructor, so it is not
            // `Copy`, and the delivery is exactly once (`Delivery`). So no thread has taken the item (README.md, the invariant), and no
            // thread is left that could take it.
            drop(unsafe { image.assume_whole() });
        }
    }
}
