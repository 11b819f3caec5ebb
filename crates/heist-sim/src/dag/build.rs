//! A builder of programs. The builder takes the parts of a program in the order in which one worker runs them.

use super::word::{LONG_TIME, Op, Word};
use super::{Dag, DagError};
use crate::Time;

/// A builder of a program. The builder takes strands, and the events that end these strands.
#[derive(Clone, Debug)]
pub struct Builder {
    words: Vec<u32>,
    /// The duration of the strand that is being built.
    strand: Time,
    /// Strands of at least this time get an additional word.
    long: Time,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Creates a builder without any strand.
    pub fn new() -> Builder {
        Builder {
            words: Vec::new(),
            strand: 0,
            long: LONG_TIME,
        }
    }

    /// Creates a builder that adds a word for long times to each strand of at least `time`. With this word, [`Dag::retime`] to longer times
    /// needs no second copy of the program.
    pub fn with_room_from(time: Time) -> Builder {
        Builder {
            long: time.min(LONG_TIME),
            ..Builder::new()
        }
    }

    /// Adds `time` to the duration of the current strand.
    #[inline]
    pub fn strand(&mut self, time: Time) {
        self.strand += time;
    }

    /// Begins a binary fork. The left branch comes next.
    #[inline]
    pub fn fork(&mut self) {
        self.push(Op::Fork);
    }

    /// Ends the left branch of the innermost fork, and begins its right branch.
    #[inline]
    pub fn next(&mut self) {
        self.push(Op::Next);
    }

    /// Ends the right branch of the innermost fork.
    #[inline]
    pub fn join(&mut self) {
        self.push(Op::Join);
    }

    /// Begins a scope.
    #[inline]
    pub fn open(&mut self) {
        self.push(Op::Open);
    }

    /// Spawns a task into the innermost scope. The task comes next.
    #[inline]
    pub fn spawn(&mut self) {
        self.push(Op::Spawn);
    }

    /// Ends the innermost task.
    #[inline]
    pub fn done(&mut self) {
        self.push(Op::Done);
    }

    /// Ends the innermost scope.
    #[inline]
    pub fn close(&mut self) {
        self.push(Op::Close);
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if no event has ended a strand yet.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the program.
    ///
    /// # Errors
    ///
    /// Returns an error if forks, tasks and scopes do not nest properly or are not ended, or if the program has
    /// more than about 2^32 words.
    pub fn build(mut self) -> Result<Dag, DagError> {
        self.push(Op::Done);
        Dag::of(self.words)
    }

    #[inline]
    pub(super) fn push(&mut self, op: Op) {
        let time = std::mem::take(&mut self.strand);
        if time >= self.long {
            self.words.push(Word::new(Op::Long, time / LONG_TIME).0);
        }
        self.words.push(Word::new(op, time % LONG_TIME).0);
    }

    pub(super) fn into_words(self) -> Vec<u32> {
        self.words
    }
}
