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

/// State that the owner and the thieves share. The order of the fields (`repr(C)`) puts the flag, the state and a small item on one cache
/// line. The alignment keeps other data off this line. The alignment is two lines wide, because processors fetch lines in pairs.
#[repr(C, align(128))]
struct Shared<T> {
    /// The flag that tells a thief whether a request can succeed.
    stock: Flag,
    mailbox: Mailbox<T>,
    /// The items that the owner had when it was dropped. Only the holder of the mailbox's lock reads these items, after it has seen
    /// [`Stock::Left`].
    rest: UnsafeCell<Ring<T>>,
}

// SAFETY: the flag and the mailbox's state are atomics. Only one thread at a time touches the mailbox's cell and `rest`, and the flag and
// the state order these accesses (README.md, the invariants). An item enters on one thread, and leaves once, on any thread. So the deque
// moves the item, which `Send` allows. No code gets a reference to an item inside the deque, so `Sync` of the items is not needed.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: a shared reference gives access only to atomics, and to cells that one thread at a time touches, as the README's
// invariants show.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn new() -> Self {
        Shared {
            stock: Flag::new(),
            mailbox: Mailbox::new(),
            rest: UnsafeCell::new(Ring::new()),
        }
    }

    /// Returns the two words from which a thief decides what to do. This function reads the flag first. The owner publishes an empty ring
    /// only after its earlier answers. So if the flag says that the ring is empty, the state is at least as new as these answers.
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
