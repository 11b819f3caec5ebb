#![doc = include_str!("README.md")]

mod mailbox;
mod orders;
mod owner;
mod ring;
mod steps;
mod stock;
mod thief;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod stress;
#[cfg(all(test, not(loom)))]
mod tests;
#[cfg(all(test, loom))]
mod world;

use crate::shim::UnsafeCell;
use mailbox::{Mailbox, State};
pub use owner::Owner;
use ring::Ring;
use stock::{Flag, Stock};
pub use thief::Thief;

/// State shared by the owner and the thieves. In this order (`repr(C)`), so that a thief finds the flag,
/// the state and a small item on one cache line. The alignment keeps other data off it, two lines wide
/// because processors fetch them in pairs.
#[repr(C, align(128))]
struct Shared<T> {
    /// Whether asking makes sense.
    stock: Flag,
    mailbox: Mailbox<T>,
    /// Items that the owner had when it dropped. Read after [`Stock::Left`], by the holder of the
    /// mailbox's lock.
    rest: UnsafeCell<Ring<T>>,
}

// SAFETY: the flag and the mailbox's state are atomics; the mailbox's cell and the rest are touched
// by one thread at a time, ordered by them (README.md, the invariants). An item enters on one
// thread and leaves on another, once: that moves it, which `Send` allows. No code gets a reference to an item
// inside the deque, so `Sync` of the items is not needed.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn new() -> Self {
        Shared {
            stock: Flag::new(),
            mailbox: Mailbox::new(),
            rest: UnsafeCell::new(Ring::new()),
        }
    }

    /// The words by which a thief decides. The flag comes first: a flag that says that the ring is empty
    /// carries the earlier answers, so that the state is no older than they are.
    #[inline(always)]
    fn look(&self) -> (State, Stock) {
        if steps::FLAG_FIRST {
            let stock = self.stock.load(orders::STOCK_LOAD);
            (self.mailbox.state(), stock)
        } else {
            let state = self.mailbox.state();
            (state, self.stock.load(orders::STOCK_LOAD))
        }
    }
}
