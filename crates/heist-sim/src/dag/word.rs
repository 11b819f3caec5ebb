//! A word of a program: a strand's time, and the event that ends it.

use crate::Time;

/// The operation that ends a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// A binary fork. The left branch follows.
    Fork,
    /// The end of a left branch. The right branch follows.
    Next,
    /// The end of a right branch, at the join.
    Join,
    /// No event: this word has the high bits of the next word's time.
    Long,
    /// The beginning of a scope.
    Open,
    /// The spawn of a task into the innermost scope. The task follows.
    Spawn,
    /// The end of a spawned task, or of the program.
    Done,
    /// The end of a scope.
    Close,
}

const OPS: [Op; 8] = [
    Op::Fork,
    Op::Next,
    Op::Join,
    Op::Long,
    Op::Open,
    Op::Spawn,
    Op::Done,
    Op::Close,
];

const TIME_BITS: u32 = 29;
/// The least duration of a strand that needs a long word.
pub(super) const LONG_TIME: Time = 1 << TIME_BITS;

/// A word of a program: three bits for the event, and 29 bits for the time.
#[derive(Clone, Copy)]
pub(super) struct Word(pub(super) u32);

impl Word {
    pub(super) fn new(op: Op, time: Time) -> Word {
        // Two words have 58 bits for a time, which are more than three days. Longer times are cut
        // off.
        let time = time.min(LONG_TIME - 1) as u32;
        Word((op as u32) << TIME_BITS | time)
    }

    #[inline]
    pub(super) fn op(self) -> Op {
        OPS[(self.0 >> TIME_BITS) as usize]
    }

    #[inline]
    pub(super) fn time(self) -> Time {
        Time::from(self.0) & (LONG_TIME - 1)
    }

    #[inline]
    pub(super) fn token(self, at: u32, high: Time) -> Token {
        Token {
            op: self.op(),
            time: high << TIME_BITS | self.time(),
            at,
        }
    }
}

/// A strand, and the event that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) op: Op,
    /// The duration of the strand.
    pub(crate) time: Time,
    /// The position of the word with the operation.
    pub(crate) at: u32,
}
