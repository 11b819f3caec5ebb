//! The code that runs on a stack, and the entries in its deque.

use crate::Time;
use std::collections::VecDeque;

/// No join: the fork has not been stolen.
pub(super) const UNSTOLEN: u32 = u32::MAX;

/// Something that has begun and not ended, innermost last.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    /// The program.
    Root,
    /// A fork whose left branch runs. `at` is the fork's word, `join` the join if its frame was stolen.
    Left { at: u32, join: u32 },
    /// A fork of this stack whose right branch runs.
    Right,
    /// The right branch of a fork of another stack. Stands at the bottom.
    Stolen { join: u32 },
    /// A scope whose body began here. `floor` is the height of the deque then.
    Scope { scope: u32, floor: u64 },
    /// A task that the scope's home runs after the body.
    Task { scope: u32 },
    /// A task of a scope of another stack, or from the shared queue. Stands at the bottom.
    Far { scope: u32 },
    /// A task that is run at once. `at` is its spawn's word; `gone`: the continuation was stolen.
    Child { scope: u32, at: u32, gone: bool },
    /// The rest of the body of a scope of another stack. Stands at the bottom.
    Body { scope: u32 },
}

/// Something in a deque.
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
    /// Worker on whose slot it runs, or ran before it waited.
    pub(super) home: usize,
    /// The word whose strand runs now, or at whose end it waits.
    pub(super) at: u32,
    pub(super) open: Vec<Open>,
    pub(super) deque: VecDeque<Entry>,
    /// Number of entries that have left the deque at its old end.
    pub(super) gone: u64,
    /// Number of the oldest entries that are public.
    pub(super) public: usize,
    /// Time at which it began to wait.
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

    /// Height of the deque, counted from its very first entry.
    pub(super) fn height(&self) -> u64 {
        self.gone + self.deque.len() as u64
    }
}

/// The join of a stolen frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    /// The stack that forked.
    pub(super) stack: u32,
    /// End of the right branch, if it has ended.
    pub(super) end: Option<u32>,
    /// Whether the stack waits for it.
    pub(super) waits: bool,
}

/// A scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The stack that began it.
    pub(super) stack: u32,
    /// Tasks that have not ended, and one for a body that went elsewhere.
    pub(super) pending: u32,
    /// End of the body, if it has ended.
    pub(super) end: u32,
    /// Whether the stack waits for it.
    pub(super) waits: bool,
}
