//! The balancings that a place takes part in.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::Bag;
use super::instance::Instance;
use crate::place::lock;

/// Names a call of `balance` in all places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(super) home: usize,
    number: u64,
}

/// The calls of `balance` that a place takes part in.
#[derive(Default)]
pub(crate) struct Balances {
    next: AtomicU64,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<Key, Arc<dyn Any + Send + Sync>>,
    over: HashSet<Key>,
}

impl Balances {
    pub(super) fn next_key(&self, home: usize) -> Key {
        // Only the number itself matters, so Relaxed.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Key { home, number }
    }

    /// The part of this place. A request may come before the place has been asked to take part; after it, the part is empty and over.
    pub(super) fn instance<B: Bag>(&self, key: Key) -> Arc<Instance<B>> {
        let mut table = lock(&self.table);
        let over = table.over.contains(&key);
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
        table.over.insert(key);
    }
}
