//! Ledgers, which have the contents of the items of a model.

use loom::cell::UnsafeCell;
use loom::sync::Arc;

/// One cell for each item of a model. The owner writes the cell before it pushes the item, and the thread that takes the item empties the
/// cell.
///
/// The cells are not atomic. So loom reports a thief that gets an item without its owner's writes
/// before the push, and if an item leaves twice, an assertion fails instead of undefined behaviour.
pub(crate) struct Ledger(Vec<UnsafeCell<usize>>);

// SAFETY: loom reports any two accesses to a cell that are not ordered by happens-before, so no accesses race unnoticed.
unsafe impl Sync for Ledger {}

impl Ledger {
    pub(crate) fn new(items: usize) -> Arc<Self> {
        Arc::new(Ledger((0..items).map(|_| UnsafeCell::new(0)).collect()))
    }

    /// Fills the cell of `item`, and returns `item`. Items count from 1, because some deques fill new slots with 0.
    pub(crate) fn put(&self, item: usize) -> usize {
        // SAFETY: loom checks that no other access races with this one.
        self.0[item - 1].with_mut(|cell| unsafe { *cell = 100 + item });
        item
    }

    pub(crate) fn take(&self, item: usize) {
        assert_ne!(item, 0, "read from a slot that nobody wrote");
        self.0[item - 1].with_mut(|cell| {
            // SAFETY: loom checks that no other access races with this one.
            let found = unsafe { std::mem::replace(&mut *cell, 0) };
            assert_eq!(found, 100 + item, "item {item} left twice");
        });
    }

    /// Checks that all items have left. Call it when every other thread has ended.
    pub(crate) fn settle(&self) {
        for (place, cell) in self.0.iter().enumerate() {
            // SAFETY: loom checks that no thread writes.
            let left = cell.with(|cell| unsafe { *cell });
            assert_eq!(left, 0, "item {} was lost", place + 1);
        }
    }
}
