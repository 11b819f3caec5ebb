//! The deques on which a worklist runs.

use heist_deque::{AtLeastOnce, Delivery, ExactlyOnce, Item, Owner};
use heist_deque::{chase_lev, double_ended, fifo, lifo};

/// The deques of a worklist for items of type `T`.
///
/// The pairs of a delivery and an order implement this trait. Implement it for another type to run a worklist on
/// another deque. A deque must keep these promises. Each pushed item is returned by a pop or a steal. When a pop
/// returns nothing, all items have been taken. A steal takes an item with an order of at least Release, so that all
/// earlier effects of the thief come before a pop that finds the item gone.
pub trait Queue<T> {
    /// The owner's end of a deque, which creates the thieves' ends.
    type Owner: Owner<Item = T, Thief: Send + Sync> + Send;
    /// Creates an empty deque.
    fn make() -> Self::Owner;
}

/// The order that takes the newest item first, for owners and thieves: depth first, with the smallest
/// footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifo;

/// The order that takes the oldest item first, for owners and thieves: roughly breadth first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

/// The order that takes the newest item first for owners and the oldest first for thieves, as in a scheduler.
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
