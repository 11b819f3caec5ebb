//! Asking a sequence for a result.

use super::Par;
use super::job::Job;
use super::limit::Scope;
use super::splitting::{Sample, Short, Site, Splitting};

/// What an operation is part of.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The loop in the program.
    pub(crate) site: Site,
    /// Of a nested one, where in the outer one it stands.
    pub(crate) outer: Option<Scope<'a>>,
}

/// Runs the job on all of the sequence.
///
/// What is known to be short is one loop, in a function of its own: within a caller that is a loop itself, compilers were seen
/// to keep its accumulator in memory, which takes four times as long.
#[inline]
pub(crate) fn ask<P, J>(mut sequence: P, job: J) -> J::Output
where
    P: Par,
    J: Job<P::Item>,
{
    let function: fn(P, J, Site) -> J::Output = in_parts::<P, J>;
    let site = Site::of(function as *const ());
    let len = sequence.bound();
    let sample = match sequence.policy().takes_whole(len, site) {
        Short::No => return in_parts(sequence, job, site),
        Short::Yes => None,
        Short::Sampled => Some(Sample::begin()),
    };
    let output = in_one(&mut sequence, &job);
    if let Some(sample) = sample {
        sample.end(site, len);
    }
    output
}

/// All of it on this thread.
#[inline(never)]
fn in_one<P, J>(sequence: &mut P, job: &J) -> J::Output
where
    P: Par,
    J: Job<P::Item>,
{
    sequence.whole(job)
}

/// All of it in as many chunks and parts as it takes.
#[inline(never)]
fn in_parts<P, J>(sequence: P, job: J, site: Site) -> J::Output
where
    P: Par,
    J: Job<P::Item>,
{
    let policy = sequence.policy();
    let origin = Origin { site, outer: None };
    let state = sequence.drive(policy, &job, origin);
    job.finish(state)
}
