#![doc = include_str!("README.md")]

mod cut;
mod drive;
mod eager;
#[cfg(all(test, not(heist_model)))]
pub(crate) mod forced;
mod innermost;
mod lazy;
mod meter;
mod site;

pub(crate) use drive::Drive;
pub use eager::{Eager, Structural, Tary};
pub use innermost::Innermost;
pub use lazy::Lazy;
pub(crate) use meter::Sample;
pub(crate) use site::{Short, Site};

use super::ask::Origin;
use super::job::Job;
use super::limit::{Limit, Scope};
use super::source::Source;

/// A policy by which an operation splits its remaining work. The default is [`Lazy`]. [`Par::splitting`](super::Par::splitting)
/// selects another policy.
///
/// This trait is sealed.
pub trait Splitting: Copy + Send + Sync + sealed::Sealed {
    /// Determines whether a loop of at most `len` positions should run as one chunk. This function uses the address of thread-local words,
    /// so a caller may inline it only if none of the caller's earlier code can wait: see [`ask`](super::ask).
    #[doc(hidden)]
    #[inline]
    fn takes_whole(self, _len: usize, _site: Site) -> Short {
        Short::No
    }

    /// Runs the remaining positions of a part, from position `at` on. `state` is the part's result for the positions before `at`.
    #[doc(hidden)]
    fn run<S, J>(self, source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>;
}

/// Runs a whole sequence.
pub(crate) fn drive<X, S, J>(policy: X, source: S, job: &J, origin: Origin<'_>) -> J::State
where
    X: Splitting,
    S: Source,
    J: Job<S::Item>,
{
    policy.run(source, 0, job.begin(0), &Drive::new(job, origin))
}

/// Runs a whole sequence on this thread, within a chunk of another sequence.
pub(crate) fn flat<S, J>(source: S, job: &J, state: &mut J::State, scope: Scope<'_>)
where
    S: Source,
    J: Job<S::Item>,
{
    pieces(source, job, state, &Limit::new(Some(scope)));
}

/// Runs one piece after another on this thread, until the operation needs no more results.
fn pieces<S, J>(mut source: S, job: &J, state: &mut J::State, limit: &Limit<'_>)
where
    S: Source,
    J: Job<S::Item>,
{
    let mut at = 0;
    while source.len() > 0 && !limit.is_reached(at) {
        let count = source.reach(usize::MAX);
        job.chunk(state, at, source.take_front(count), Scope::new(limit, at));
        at += count;
    }
}

/// Runs a whole sequence, and returns the result of the operation.
pub(crate) fn complete<X, S, J>(policy: X, source: S, job: &J, origin: Origin<'_>) -> J::Output
where
    X: Splitting,
    S: Source,
    J: Job<S::Item>,
{
    let state = drive(policy, source, job, origin);
    job.finish(state)
}

/// Runs a whole sequence on this thread and returns the result of the operation. The sequence runs as one chunk if its positions
/// are contiguous.
#[inline]
pub(crate) fn whole<S, J>(mut source: S, job: &J) -> J::Output
where
    S: Source,
    J: Job<S::Item>,
{
    let limit = Limit::new(None);
    let len = source.len();
    if source.reach(len) == len {
        return job.whole(source.take_front(len), Scope::new(&limit, 0));
    }
    let mut state = job.begin(0);
    pieces(source, job, &mut state, &limit);
    job.finish(state)
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
