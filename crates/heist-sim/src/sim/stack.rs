//! Stacks, the parts of the program that run on them, and the entries of their deques.

use crate::Time;
use std::collections::VecDeque;

/// The value of `join` in a fork whose frame was not stolen.
pub(super) const UNSTOLEN: u32 = u32::MAX;

/// A part of the program that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    /// The program.
    Root,
    /// A fork whose left branch runs. `at` is the fork's word, and `join` is the index of the join
    /// if a thief has stolen the frame.
    Left { at: u32, join: u32 },
    /// A fork of this stack whose right branch runs.
    Right,
    /// The right branch of a fork of another stack. This part is at the bottom of its stack.
    Stolen { join: u32 },
    /// A scope whose body began on this stack. `floor` is the height of the deque at the beginning
    /// of the body.
    Scope { scope: u32, floor: u64 },
    /// A task that the scope's home runs after the body.
    Task { scope: u32 },
    /// A task of another stack's scope, or from the shared queue. This part is at the bottom of its
    /// stack.
    Far { scope: u32 },
    /// A task that runs immediately at its spawn. `at` is the word of the spawn. `gone` is true if a thief has stolen the continuation of
    /// the task's parent.
    Child { scope: u32, at: u32, gone: bool },
    /// The rest of the body of another stack's scope. This part is at the bottom of its stack.
    Body { scope: u32 },
}

/// An entry of a deque.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// The right branch of a fork, or the continuation after a child. The number is the index of the fork or child in `open`.
    Own(u32),
    /// The right branch of another stack's fork. The branch begins after the word `at`.
    Branch { at: u32, join: u32 },
    /// The task whose spawn is the word `at`.
    Task { at: u32, scope: u32 },
    /// The rest of a scope's body after the word `at`.
    Rest { at: u32, scope: u32 },
}

/// A stack with its deque.
#[derive(Debug)]
pub(super) struct Stack {
    /// The worker that runs the stack. If the stack waits, this is the worker that ran the stack before the wait.
    pub(super) home: usize,
    /// The position of the word whose strand the stack runs. If the stack waits, it waits at the end of this strand.
    pub(super) at: u32,
    pub(super) open: Vec<Open>,
    pub(super) deque: VecDeque<Entry>,
    /// The number of entries that thieves have taken from the oldest end of the deque.
    pub(super) gone: u64,
    /// The number of public entries. The public entries are the oldest entries of the deque.
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

    /// Returns the height of the deque, including the entries that thieves have taken.
    pub(super) fn height(&self) -> u64 {
        self.gone + self.deque.len() as u64
    }
}

/// The join of a stolen frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    /// The stack that forked.
    pub(super) stack: u32,
    /// The position of the word that ends the right branch, or `None` while the branch runs.
    pub(super) end: Option<u32>,
    /// True if the stack waits for the right branch.
    pub(super) waits: bool,
}

/// A scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The stack that began the scope.
    pub(super) stack: u32,
    /// The number of tasks that have not ended, plus one if the rest of the body moved to another
    /// stack.
    pub(super) pending: u32,
    /// The position of the word that ends the body, or 0 while the body runs.
    pub(super) end: u32,
    /// True if the stack waits for the scope.
    pub(super) waits: bool,
}
