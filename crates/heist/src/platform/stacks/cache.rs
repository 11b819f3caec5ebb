//! Stacks that one worker keeps for itself.

use super::{Stack, StackError, Stacks};

/// Number of stacks that move to or from the supply in one step.
const BATCH: usize = 16;
/// The maximum number of stacks in a cache.
const FULL: usize = 2 * BATCH;

/// A few free stacks of a supply, for the use of one thread. The cache takes a lock only if it
/// becomes empty or full; otherwise it needs no atomic instruction. A thread that only takes
/// stacks, or only returns them, locks the supply once for every [`BATCH`] stacks.
#[derive(Debug)]
pub(crate) struct StackCache {
    /// Stacks whose memory is unchanged since they were returned, the newest last.
    kept: Vec<Stack>,
    stacks: Stacks,
}

impl StackCache {
    pub(crate) fn new(stacks: Stacks) -> Self {
        StackCache {
            kept: Vec::with_capacity(FULL),
            stacks,
        }
    }

    /// Takes a stack from the cache, or else from the supply.
    ///
    /// # Errors
    /// Returns [`StackError::Map`] or [`StackError::Guard`] if the system has no more stacks.
    #[inline]
    pub(crate) fn take(&mut self) -> Result<Stack, StackError> {
        match self.kept.pop() {
            Some(stack) => Ok(stack),
            None => self.refill(),
        }
    }

    /// Takes back a stack of the cache's supply.
    #[inline]
    pub(crate) fn give(&mut self, stack: Stack) {
        debug_assert!(stack.stacks.is(&self.stacks));
        if self.kept.len() == FULL {
            self.spill();
        }
        self.kept.push(stack);
    }

    #[cold]
    fn refill(&mut self) -> Result<Stack, StackError> {
        self.stacks.take_warm(BATCH, &mut self.kept);
        self.kept.pop().map_or_else(|| self.stacks.take(), Ok)
    }

    #[cold]
    fn spill(&mut self) {
        self.stacks.give(self.kept.drain(..BATCH));
    }
}
