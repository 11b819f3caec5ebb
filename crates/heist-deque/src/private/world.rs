//! Code that the models have in common.
//!
//! An item is a number, and its content is in a [`Ledger`] of cells that are not atomic. So loom
//! reports a thief that gets an item without its owner's writes before the push, and if an item
//! leaves twice, an assertion fails.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::mailbox::State;
use super::{Owner, Thief};
use crate::{Owner as _, Steal, Thief as _};

pub(super) struct Ledger(Vec<UnsafeCell<usize>>);

// SAFETY: loom reports any two accesses to a cell that are not ordered by happens-before, so no accesses race unnoticed.
unsafe impl Sync for Ledger {}

impl Ledger {
    pub(super) fn new(items: usize) -> Self {
        Ledger((0..items).map(|_| UnsafeCell::new(0)).collect())
    }

    pub(super) fn put(&self, item: usize) {
        // SAFETY: loom checks that no other access races with this one.
        self.0[item].with_mut(|cell| unsafe { *cell = 100 + item });
    }

    pub(super) fn take(&self, item: usize) {
        self.0[item].with_mut(|cell| {
            // SAFETY: loom checks that no other access races with this one.
            let found = unsafe { std::mem::replace(&mut *cell, 0) };
            assert_eq!(found, 100 + item, "item {item} left twice");
        });
    }

    /// Checks that all items have left. Call it when every other thread has ended.
    pub(super) fn settle(&self) {
        for (item, cell) in self.0.iter().enumerate() {
            // SAFETY: loom checks that no thread writes.
            let left = cell.with(|cell| unsafe { *cell });
            assert_eq!(left, 0, "item {item} was lost");
        }
    }
}

/// A deque and the contents of its items.
pub(super) struct World {
    pub(super) deque: Owner<usize>,
    pub(super) ledger: Arc<Ledger>,
    next: usize,
}

impl World {
    pub(super) fn new(items: usize) -> Self {
        World {
            deque: Owner::new(),
            ledger: Arc::new(Ledger::new(items)),
            next: 0,
        }
    }

    /// Pushes the next item.
    pub(super) fn push(&mut self) {
        self.ledger.put(self.next);
        self.deque.push(self.next);
        self.next += 1;
    }

    pub(super) fn pop(&mut self) -> bool {
        let popped = self.deque.pop();
        if let Some(item) = popped {
            self.ledger.take(item);
        } else {
            // Only the owner fills the mailbox, so the state cannot become `Answered` now.
            assert_ne!(
                self.state(),
                State::Answered,
                "an item is left after `None`"
            );
        }
        popped.is_some()
    }

    pub(super) fn poll(&mut self) {
        self.deque.poll();
    }

    pub(super) fn state(&self) -> State {
        self.deque.shared.mailbox.state()
    }

    pub(super) fn robber(&self) -> Robber {
        Robber {
            thief: self.deque.thief(),
            ledger: Arc::clone(&self.ledger),
        }
    }

    /// Starts a thief on another thread that makes this number of attempts.
    pub(super) fn thief(&self, attempts: usize) -> thread::JoinHandle<()> {
        let robber = self.robber();
        thread::spawn(move || {
            for _ in 0..attempts {
                let _ = robber.steal();
            }
        })
    }

    /// Leaves one item in the mailbox.
    pub(super) fn answered(&mut self) {
        self.push();
        assert_eq!(self.robber().steal(), Steal::Retry);
        self.poll();
        assert_eq!(self.state(), State::Answered);
    }

    /// Waits for the thieves, takes the remaining items as owner, and checks that each item has left exactly once.
    pub(super) fn end(mut self, thieves: impl IntoIterator<Item = thread::JoinHandle<()>>) {
        for thief in thieves {
            thief.join().unwrap();
        }
        while self.pop() {}
        let robber = self.robber();
        assert_eq!(robber.steal(), Steal::Empty);
        assert!(robber.thief.is_empty());
        self.ledger.settle();
    }
}

/// A thief that empties the ledger's cell of each item that it takes.
pub(super) struct Robber {
    pub(super) thief: Thief<usize>,
    ledger: Arc<Ledger>,
}

impl Robber {
    pub(super) fn steal(&self) -> Steal<usize> {
        let stolen = self.thief.steal();
        if let Steal::Success(item) = stolen {
            self.ledger.take(item);
        }
        stolen
    }

    /// Takes the items of a dropped owner. Call it when every other thread has ended.
    pub(super) fn end(self) {
        loop {
            match self.steal() {
                Steal::Success(_) => {}
                Steal::Empty => break,
                Steal::Retry => panic!("nobody is left to wait for"),
            }
        }
        assert!(self.thief.is_empty());
        self.ledger.settle();
    }
}
