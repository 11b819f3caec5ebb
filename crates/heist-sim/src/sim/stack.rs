//! The code that runs on a stack, and the entries in its deque.

use crate::Time;
use std::collections::VecDeque;

/// The mark of a fork without a join: the fork has not been stolen.
pub(super) const UNSTOLEN: u32 = u32::MAX;

/// A part of the program that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    /// The program.
    Root,
    /// A fork whose left branch runs. `at` is the fork's word, `join` the join if its frame was stolen.
    Left { at: u32, join: u32 },
    /// A fork of this stack whose right branch runs.
    Right,
    /// The right branch of a fork of another stack. It is at the bottom of the stack.
    Stolen { join: u32 },
    /// A scope whose body began here. `floor` is the height of the deque at that time.
    Scope { scope: u32, floor: u64 },
    /// A task that the scope's home runs after the body.
    Task { scope: u32 },
    /// A task of a scope of another stack, or from the shared queue. It is at the bottom of the
    /// stack.
    Far { scope: u32 },
    /// A task that runs at once. `at` is the word of its spawn; `gone` is true if the continuation
    /// was stolen.
    Child { scope: u32, at: u32, gone: bool },
    /// The rest of the body of a scope of another stack. It is at the bottom of the stack.
    Body { scope: u32 },
}

/// An entry of a deque.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// The right branch of the fork, or the continuation after the child, at this index of `open`.
    Own(u32),
    /// The right branch after the word `at`, of another worker's fork.
    Branch { at: u32, join: u32 },
    /// The task whose spawn is the word `at`.
    Task { at: u32, scope: u32 },
    /// The rest of a scope's body after the word `at`.
    Rest { at: u32, scope: u32 },
}

/// A stack and its deque: a worker.
#[derive(Debug)]
pub(super) struct Stack {
    /// The worker that runs the stack, or ran it before it waited.
    pub(super) home: usize,
    /// The word whose strand runs now, or at whose end the stack waits.
    pub(super) at: u32,
    pub(super) open: Vec<Open>,
    pub(super) deque: VecDeque<Entry>,
    /// The number of entries that have left the deque at its old end.
    pub(super) gone: u64,
    /// The number of public entries, which are the oldest.
    pub(super) public: usize,
    /// The time at which the stack began to wait.
    pub(super) since: Time,
}

impl Stack {
    pub(super) fn of(home: usize) -> Stack {
        Stack {
            home,
            at: 0,
            open: Vec::new(),
            deque: VecDeque::new(),
            gone: 0,
            public: 0,
            since: 0,
        }
    }

    /// Returns the height of the deque, counted from its very first entry.
    pub(super) fn height(&self) -> u64 {
        self.gone + self.deque.len() as u64
    }
}

/// The join of a stolen frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    /// The stack that forked.
    pub(super) stack: u32,
    /// The time at which the right branch ended, if it has.
    pub(super) end: Option<u32>,
    /// True if the stack waits for the right branch.
    pub(super) waits: bool,
}

/// A scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The stack that began the scope.
    pub(super) stack: u32,
    /// The number of tasks that have not ended, and one more if the body moved to another stack.
    pub(super) pending: u32,
    /// The time at which the body ended, if it has.
    pub(super) end: u32,
    /// True if the stack waits for the scope.
    pub(super) waits: bool,
}
