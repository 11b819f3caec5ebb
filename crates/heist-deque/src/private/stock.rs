//! The flag that thieves read before they make a request.

use crate::shim::Ordering;
use crate::shim::every_order::AtomicU32;

/// The state of the owner's ring, as thieves see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Stock {
    /// The ring is empty, but the mailbox may still hold an item.
    Empty = 0,
    /// The ring has items.
    Some = 1,
    /// The owner has been dropped, and has left items to its thieves.
    Left = 2,
}

/// The flag. At first only the owner writes the flag. After the owner has stored `Left`, the thief that holds the mailbox's lock writes the
/// flag.
pub(super) struct Flag(AtomicU32);

impl Flag {
    pub(super) fn new() -> Self {
        Flag(AtomicU32::new(Stock::Empty as u32))
    }

    #[inline(always)]
    pub(super) fn load(&self, order: Ordering) -> Stock {
        match self.0.load(order) {
            0 => Stock::Empty,
            1 => Stock::Some,
            _ => Stock::Left,
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, stock: Stock, order: Ordering) {
        self.0.store(stock as u32, order);
    }
}
