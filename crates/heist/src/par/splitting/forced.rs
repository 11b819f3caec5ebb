//! Splits where a test wants them.

use super::{Drive, Splitting, sealed::Sealed};
use crate::par::job::Job;
use crate::par::source::{Chunk, Source};

/// After each position, asks a function whether to split what is left; how many lie before the split is asked of it, too.
#[derive(Clone, Copy)]
pub(crate) struct Forced<'a>(pub(crate) &'a (dyn Fn(usize) -> Option<usize> + Sync));

impl Sealed for Forced<'_> {}

impl Splitting for Forced<'_> {
    fn run<S, J>(
        self,
        mut source: S,
        mut at: usize,
        mut state: J::State,
        drive: &Drive<'_, J>,
    ) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        while source.len() > 0 && !drive.limit.is_reached(at) {
            if let Some(keep) = (self.0)(source.len()) {
                let rest = source.split_off(keep);
                return drive.both(
                    at,
                    || self.run(source, at, state, drive),
                    at + keep,
                    |state| self.run(rest, at + keep, state, drive),
                );
            }
            let chunk = source.take_front(1);
            assert_eq!(chunk.len(), 1);
            drive.chunk(&mut state, at, chunk);
            at += 1;
        }
        state
    }
}
