//! The two modes of delivery: an item leaves a deque at least once, or exactly once.

use crate::Item;
use crate::shim::{Ordering, Swung};

/// The mode of delivery of an idempotent deque, [`AtLeastOnce`] or [`ExactlyOnce`]: it says how often an item leaves the deque. Each
/// operation of the owner ends with a change of the word that describes the deque's content. A plain store may overwrite a thief's claim,
/// and so bring an item back. A compare-and-swap never overwrites a claim, but costs a locked instruction. The two modes differ only in
/// this change, so benchmarks can measure the benefit of idempotence alone.
pub trait Delivery<T>: Swing<T> + Send + Sync + Sized + 'static {}

/// Each item leaves the deque at least once (Michael, Vechev, Saraswat, section 3). Use this mode for `Copy` items if processing an item
/// again is harmless. The owner has no locked instruction and no fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtLeastOnce;

/// Each item leaves the deque exactly once. In this mode, each operation of the owner needs a compare-and-swap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactlyOnce;

/// The owner's change of a word. The two modes of delivery differ only in this change. This trait is not public, so no other crate can add
/// a third mode.
pub trait Swing<T> {
    /// Changes `word` from `seen`, which the owner has read, to `next`. Returns false if another thread has
    /// changed `word` since then. Only the owner calls this.
    fn swing(word: &Swung, seen: u64, next: u64, order: Ordering) -> bool;
}

impl<T: Item + Copy + Send> Delivery<T> for AtLeastOnce {}
impl<T: Item + Send> Delivery<T> for ExactlyOnce {}

impl<T: Item + Copy + Send> Swing<T> for AtLeastOnce {
    #[inline(always)]
    fn swing(word: &Swung, _: u64, next: u64, order: Ordering) -> bool {
        word.store(next, order);
        true
    }
}

impl<T: Item + Send> Swing<T> for ExactlyOnce {
    #[inline(always)]
    fn swing(word: &Swung, seen: u64, next: u64, order: Ordering) -> bool {
        // Relaxed on failure: the owner begins again and loads the word.
        word.compare_exchange(seen, next, order, Ordering::Relaxed)
            .is_ok()
    }
}
