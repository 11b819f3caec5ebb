//! A policy that splits at the places that a test chooses.

use super::{Drive, Short, Site, Splitting, sealed::Sealed};
use crate::cancel::is_cancellation;
use crate::par::job::Job;
use crate::par::source::{Chunk, Source};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A policy for tests, which asks a plan for the next step of each part.
#[derive(Clone, Copy)]
pub(crate) struct Forced<'a>(pub(crate) &'a dyn Plan);

/// A plan of a test, which decides when to split, and how many positions to process at a time.
pub(crate) trait Plan: Sync {
    /// Returns the next step of a part.
    fn next(&self, place: Place) -> Step;

    /// Returns true if an operation on `len` positions runs as one chunk, like a short loop.
    fn takes_whole(&self, _len: usize) -> bool {
        false
    }
}

/// Progress of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: usize,
    /// Number of remaining positions, at least one.
    pub(crate) left: usize,
    /// Number of contiguous positions among the remaining positions, from the front.
    pub(crate) reach: usize,
    /// Grain of the job.
    pub(crate) grain: usize,
}

/// Next step of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Takes this number of positions, or all remaining positions if there are fewer. Processes them in chunks.
    Take(usize),
    /// Keeps this number of positions, and forks all further positions, which may run in parallel.
    Cut(usize),
    /// Keeps this number of positions, but processes all further positions first, as if a thief were faster than the owner.
    CutLate(usize),
}

/// A plan that a function defines. Before each position, the function receives the number of remaining positions. The function returns the
/// number of positions to the left of a split, or `None` to process one position.
impl<F: Fn(usize) -> Option<usize> + Sync> Plan for F {
    fn next(&self, place: Place) -> Step {
        self(place.left).map_or(Step::Take(1), Step::Cut)
    }
}

impl Sealed for Forced<'_> {}

impl Splitting for Forced<'_> {
    fn takes_whole(self, len: usize, _site: Site) -> Short {
        if self.0.takes_whole(len) {
            Short::Yes
        } else {
            Short::No
        }
    }

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
            let left = source.len();
            let step = self.0.next(Place {
                at,
                left,
                reach: source.reach(left),
                grain: drive.job.grain(),
            });
            match step {
                Step::Take(count) => {
                    // All chunks are taken beforehand, as the owner of a lazy part does. If the operation ends meanwhile, the
                    // remaining chunks are dropped unprocessed.
                    for chunk in take(&mut source, count.min(left)) {
                        if drive.limit.is_reached(at) {
                            break;
                        }
                        let count = chunk.len();
                        drive.chunk(&mut state, at, chunk);
                        at += count;
                    }
                }
                Step::Cut(keep) | Step::CutLate(keep) => {
                    let rest = source.split_off(keep);
                    assert_eq!((source.len(), rest.len()), (keep, left - keep));
                    let right_at = at + keep;
                    let left = Box::new(|| self.run(source, at, state, drive));
                    let right = Box::new(|| {
                        (!drive.limit.is_reached(right_at))
                            .then(|| self.run(rest, right_at, drive.job.begin(right_at), drive))
                    });
                    let (mut left, right) = if matches!(step, Step::Cut(_)) {
                        both(left, right)
                    } else {
                        late(left, right)
                    };
                    if let Some(right) = right {
                        drive.merge(&mut left, at, right);
                    }
                    return left;
                }
            }
        }
        drop(source);
        state
    }
}

/// Takes the next `count` positions, in chunks.
fn take<S: Source>(source: &mut S, count: usize) -> Vec<S::Chunk> {
    let (mut left, mut chunks) = (count, Vec::new());
    while left > 0 {
        let count = source.reach(left);
        assert!(0 < count && count <= left, "{count} of {left} lie together");
        let chunk = source.take_front(count);
        assert_eq!(chunk.len(), count);
        chunks.push(chunk);
        left -= count;
    }
    chunks
}

/// A part that is ready to run. The type depends only on the type of the part's result, so the thousands of operations in the tests share
/// the code of one join for each type of result.
type Part<'p, R> = Box<dyn FnOnce() -> R + Send + 'p>;

/// Runs both parts. The two parts run in parallel if a thief takes the right part.
fn both<R: Send>(left: Part<'_, R>, right: Part<'_, Option<R>>) -> (R, Option<R>) {
    crate::join::join_shared(left, right)
}

/// Runs both parts, the right part first. If both parts panic, the function rethrows the panic of the left part, as a join does, unless
/// this panic is a cancellation.
fn late<R>(left: Part<'_, R>, right: Part<'_, Option<R>>) -> (R, Option<R>) {
    let right = catch_unwind(AssertUnwindSafe(right));
    match (catch_unwind(AssertUnwindSafe(left)), right) {
        (Ok(left), Ok(right)) => (left, right),
        (Ok(left), Err(panic)) => {
            drop(left);
            resume_unwind(panic)
        }
        (Err(stopped), Err(panic)) if is_cancellation(&stopped) => resume_unwind(panic),
        (Err(panic), _) => resume_unwind(panic),
    }
}
