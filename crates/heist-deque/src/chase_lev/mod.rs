#![doc = include_str!("README.md")]

mod buffer;
mod orders;
mod owner;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::marker::PhantomData;

use crate::Word;
use crate::apart::Apart;
use crate::shim::{AtomicPtr, AtomicU64, Ordering};
use buffer::Buffer;
pub use owner::Owner;
pub use thief::Thief;

/// The first index. Not 0, so that a pop from an empty deque computes no index below 0.
const FIRST: u64 = 1;

/// What the owner and the thieves share. In this order (`repr(C)`), so that what all of them write
/// and what only the owner writes are on different cache lines, and the two words of the owner,
/// which a thief reads one after the other, on one.
#[repr(C)]
struct Shared<T: Word> {
    /// The index of the oldest item. Every change adds one, by CAS.
    top: Apart<AtomicU64>,
    /// One above the index of the newest item, or, while the owner pops, that index. Written by
    /// the owner only.
    bottom: AtomicU64,
    /// The newest buffer. Written by the owner only.
    buffer: AtomicPtr<Buffer>,
    /// The items from `top` to `bottom` belong to the deque.
    items: PhantomData<T>,
}

// SAFETY: what is shared are atomics and buffers made of atomics, and the raw pointers lead only
// to buffers, which are freed by the last holder. An item enters on one thread and leaves on
// another, each exactly once: that moves it, which `Send` allows. Nobody gets a reference to an
// item inside the deque, so `Sync` of the items is not needed.
unsafe impl<T: Word + Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Word + Send> Sync for Shared<T> {}

impl<T: Word> Shared<T> {
    fn new(capacity: usize) -> Self {
        Shared {
            top: Apart(AtomicU64::new(FIRST)),
            bottom: AtomicU64::new(FIRST),
            buffer: AtomicPtr::new(Buffer::first(capacity)),
            items: PhantomData,
        }
    }

    /// The newest buffer that a load of this order sees.
    #[inline(always)]
    fn buffer(&self, order: Ordering) -> &Buffer {
        // SAFETY: the pointer is never null, and no buffer is freed or borrowed mutably before
        // `drop`, which has the deque to itself, so not as long as `self` is borrowed. Its fields
        // are seen as written if the load is Acquire, or if the caller is the owner.
        unsafe { &*self.buffer.load(order) }
    }
}

impl<T: Word> Drop for Shared<T> {
    /// Drops what is left. If an item's own drop panics, those that follow it leak.
    fn drop(&mut self) {
        /// Frees the memory even then.
        struct Memory(*mut Buffer);
        impl Drop for Memory {
            fn drop(&mut self) {
                // SAFETY: the deque was the list's only user, and it is being dropped.
                unsafe { Buffer::free_all(self.0) }
            }
        }
        // Relaxed: `&mut self` means that whatever others did happened before.
        let memory = Memory(self.buffer.load(Ordering::Relaxed));
        let top = self.top.0.load(Ordering::Relaxed);
        let bottom = self.bottom.load(Ordering::Relaxed);
        for index in top..bottom {
            // SAFETY: `memory` frees it at the end of this function.
            let buffer = unsafe { &*memory.0 };
            let word = buffer.slot(index).load(Ordering::Relaxed);
            // SAFETY: an index between top and bottom holds a word of `into_word` that nobody has
            // claimed (README.md, the invariant), and nobody else is left to claim it.
            drop(unsafe { T::from_word(word) });
        }
    }
}
