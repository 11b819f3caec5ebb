//! Work-stealing deques. The owner pushes and pops at one end of a deque, and thieves steal at the opposite end.
//!
//! - [`split`]: the default of the Heist runtime, with a private part and a return barrier. The operations of the split deque are `unsafe`
//!   and tied to the runtime's frames, so it does not implement [`Owner`] and [`Thief`].
//! - [`chase_lev`]: the growing deque of Chase and Lev. Each pop has a full fence.
//! - [`lifo`], [`fifo`], [`double_ended`]: the idempotent deques of Michael, Vechev and Saraswat. Each item leaves *at least* once, and the
//!   owner has neither a fence nor a locked instruction. With the parameter [`ExactlyOnce`], each item leaves once, but the owner's
//!   operations need a compare-and-swap.
//! - [`cilk5`]: the growing deque of Cilk-5. Thieves hold a lock while they steal, and items may have any type.
//! - [`private`]: only the owner touches the items, and it answers thieves' requests when it polls.
//!
//! The crate has no threads, no thread-local storage and no input or output: the caller provides the services
//! of the operating system. An essay in each protocol's folder explains the steps, and why they are correct.

/// Compiles and runs the README's example with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod cache_padded;
pub mod chase_lev;
pub mod cilk5;
mod delivery;
pub mod double_ended;
pub mod fifo;
mod generation;
mod item;
#[cfg(all(test, loom))]
mod ledger;
pub mod lifo;
mod lock;
#[cfg(loom)]
mod modelled;
pub mod private;
mod ring;
#[cfg(all(test, loom))]
mod scenes;
mod shim;
mod slots;
pub mod split;
#[cfg(all(test, not(loom)))]
mod trials;

pub use delivery::{AtLeastOnce, Delivery, ExactlyOnce};
pub use item::{Item, LARGEST};

/// The result of one attempt to steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a stolen item that is not looked at is lost"]
pub enum Steal<T> {
    /// The thief has this item now.
    Success(T),
    /// The deque had no item that the thief could steal.
    Empty,
    /// The attempt failed: another thread got the item or is stealing now, or the owner has not answered the
    /// request. There may be more items.
    Retry,
}

impl<T> Steal<T> {
    /// Returns the item, if one was stolen.
    pub fn success(self) -> Option<T> {
        match self {
            Steal::Success(item) => Some(item),
            Steal::Empty | Steal::Retry => None,
        }
    }
}

/// The owner's end of a deque. The newest item leaves first, except from [`fifo`]. Each item leaves the deque once, through this end or
/// through a [`Thief`]. Only an idempotent deque may return an item more than once. When the last end is dropped, the deque drops the
/// remaining items.
pub trait Owner {
    /// The type of the items.
    type Item;
    /// The thieves' end.
    type Thief: Thief<Item = Self::Item>;

    /// Returns a thief's end of this deque.
    fn thief(&self) -> Self::Thief;

    /// Adds an item, which becomes the newest item.
    fn push(&mut self, item: Self::Item);

    /// Takes the next item in the owner's order. Returns `None` if the deque is empty.
    fn pop(&mut self) -> Option<Self::Item>;
}

/// A thief's end of a deque. The oldest item leaves first, except from [`lifo`]. The owner's actions before the push of an item happen
/// before the thief gets the item.
pub trait Thief: Clone {
    /// The type of the items.
    type Item;

    /// Tries to take the next item in the thieves' order.
    fn steal(&self) -> Steal<Self::Item>;

    /// Returns true if the deque seems to have no item to steal. This function has no fence, so the answer may be out of date.
    fn is_empty(&self) -> bool;
}
