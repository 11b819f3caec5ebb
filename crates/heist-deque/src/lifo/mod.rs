#![doc = include_str!("README.md")]

mod anchor;
mod orders;
mod owner;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::marker::PhantomData;
use std::mem::needs_drop;

use crate::generation::Generations;
use crate::shim::Ordering;
use crate::{Delivery, Item};
use anchor::Anchor;
pub use owner::Owner;
pub use thief::Thief;

/// State that the owner and the thieves share.
struct Shared<T: Item, D> {
    generations: Generations<T>,
    /// Marks that the items of the newest generation belong to the deque.
    items: PhantomData<(T, D)>,
}

// SAFETY: threads share only generations. These consist of atomics, and the last holder frees them. An item enters on one thread and leaves
// on other threads. If an item leaves once, the deque moves it. Only items of `Copy` types leave more than once, and the deque copies these
// items. `Send` allows moves and copies. No code gets a reference to an item inside of the deque.
unsafe impl<T: Item + Send, D: Delivery<T>> Send for Shared<T, D> {}
// SAFETY: a shared reference gives access only to generations, which consist of atomics. Any thread may use atomics.
unsafe impl<T: Item + Send, D: Delivery<T>> Sync for Shared<T, D> {}

impl<T: Item, D> Shared<T, D> {
    fn new(capacity: usize) -> Self {
        Shared {
            generations: Generations::new(capacity),
            items: PhantomData,
        }
    }
}

impl<T: Item, D> Drop for Shared<T, D> {
    /// Drops the remaining items. If the drop of an item panics, the items above it leak.
    fn drop(&mut self) {
        if !needs_drop::<T>() {
            return;
        }
        // Relaxed: `&mut self` means that all actions of other threads happened before.
        let newest = self.generations.newest(Ordering::Relaxed);
        let anchor = Anchor::of(newest.anchor.load(Ordering::Relaxed));
        debug_assert!(
            !anchor.is_closed(),
            "the owner closes and publishes in one operation"
        );
        for slot in 0..anchor.tail() {
            // SAFETY: the slot is below the tail, and so below the capacity.
            let image = unsafe { newest.slots.load(slot, Ordering::Relaxed) };
            // SAFETY: a slot below the tail of the newest generation holds the item of a put. The item's type has a destructor, so it is
            // not `Copy`, and the delivery is exactly once (`Delivery`). So no thread has taken the item (README.md, the invariant), and no
            // thread is left that could take it.
            drop(unsafe { image.assume_whole() });
        }
    }
}
