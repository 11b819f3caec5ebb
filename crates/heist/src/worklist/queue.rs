//! The deques on which a worklist runs.

use heist_deque::{AtLeastOnce, Delivery, ExactlyOnce, Item, Owner};
use heist_deque::{chase_lev, double_ended, fifo, lifo};

/// The deques of a worklist for items of type `T`.
///
/// The pairs of a delivery and an order implement this trait. To run a worklist on another deque, implement this trait
/// for another type. A deque must keep three promises. Each pushed item is returned by a pop or a steal. When a pop
/// returns nothing, all items have been taken. A steal takes an item with an order of at least Release; so if a pop
/// finds the item gone, it sees all earlier effects of the thief.
pub trait Queue<T> {
    /// The owner's end of a deque. The owner's end creates the thieves' ends.
    type Owner: Owner<Item = T, Thief: Send + Sync> + Send;
    /// Creates an empty deque.
    fn make() -> Self::Owner;
}

/// The order in which owners and thieves take the newest item first: depth first, with the smallest
/// footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifo;

/// The order in which owners and thieves take the oldest item first: roughly breadth first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

/// The order in which owners take the newest item first, and thieves the oldest, as in a scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoubleEnded;

impl<T: Item + Send, D: Delivery<T>> Queue<T> for (D, Lifo) {
    type Owner = lifo::Owner<T, D>;
    fn make() -> Self::Owner {
        lifo::Owner::new()
    }
}

impl<T: Item + Send> Queue<T> for (ExactlyOnce, DoubleEnded) {
    type Owner = chase_lev::Owner<T>;
    fn make() -> Self::Owner {
        chase_lev::Owner::new()
    }
}

impl<T: Item + Copy + Send> Queue<T> for (AtLeastOnce, DoubleEnded) {
    type Owner = double_ended::Owner<T>;
    fn make() -> Self::Owner {
        double_ended::Owner::new()
    }
}

impl<T: Item + Send, D: Delivery<T>> Queue<T> for (D, Fifo) {
    type Owner = fifo::Owner<T, D>;
    fn make() -> Self::Owner {
        fifo::Owner::new()
    }
}
