//! The calls of `balance` in which a place takes part.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::Bag;
use super::instance::Instance;
use crate::place::lock;

/// The name of a call of `balance` at all places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(super) home: usize,
    number: u64,
}

/// The calls of `balance` in which a place takes part.
#[derive(Default)]
pub(crate) struct Balances {
    next: AtomicU64,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<Key, Arc<dyn Any + Send + Sync>>,
    /// The calls that have ended, by home.
    over: HashMap<usize, Over>,
}

/// The numbers of those calls of `balance` at one home that have ended.
#[derive(Default)]
struct Over {
    /// All calls with smaller numbers have ended.
    below: u64,
    /// The numbers of ended calls that are not less than `below`.
    above: BTreeSet<u64>,
}

impl Over {
    fn add(&mut self, number: u64) {
        self.above.insert(number);
        while self.above.remove(&self.below) {
            self.below += 1;
        }
    }

    fn contains(&self, number: u64) -> bool {
        number < self.below || self.above.contains(&number)
    }
}

impl Balances {
    pub(super) fn next_key(&self, home: usize) -> Key {
        // Relaxed: the number orders no other memory accesses.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Key { home, number }
    }

    /// Returns this place's part of the call `key`, and creates the part if it does not exist. A request of another place may arrive before
    /// the home has asked this place to take part. If the call has ended already, a new part is empty, and is marked as over.
    pub(super) fn instance<B: Bag>(&self, key: Key) -> Arc<Instance<B>> {
        let mut table = lock(&self.table);
        let home = table.over.get(&key.home);
        let over = home.is_some_and(|over| over.contains(key.number));
        let new = || Arc::new(Instance::<B>::new(over));
        if over {
            return new();
        }
        let instance = Arc::clone(table.open.entry(key).or_insert_with(|| new()));
        instance.downcast().unwrap_or_else(|_| new())
    }

    pub(super) fn forget(&self, key: Key) {
        let mut table = lock(&self.table);
        table.open.remove(&key);
        table.over.entry(key.home).or_default().add(key.number);
    }
}

#[cfg(test)]
mod tests {
    use super::Over;

    #[test]
    fn numbers_in_any_order_leave_nothing_behind() {
        let mut over = Over::default();
        let order = || (0..1_000).map(|index| index * 7 % 1_000);
        for (index, number) in order().enumerate() {
            assert!(!over.contains(number));
            over.add(number);
            assert!(order().take(index + 1).all(|number| over.contains(number)));
        }
        assert_eq!((over.below, over.above.len()), (1_000, 0));
        assert!(!over.contains(1_000));
    }
}
