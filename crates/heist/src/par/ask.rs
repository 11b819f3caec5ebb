//! Runs an operation on a sequence and returns its result.

use super::Par;
use super::job::Job;
use super::limit::Scope;
use super::splitting::{Sample, Short, Site, Splitting};

/// An operation that contains another operation.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The loop in the program.
    pub(crate) site: Site,
    /// The position of a nested operation in the outer one.
    pub(crate) outer: Option<Scope<'a>>,
}

/// Runs the job on the whole sequence.
#[inline]
pub(crate) fn ask<P, J>(mut sequence: P, job: J) -> J::Output
where
    P: Par,
    J: Job<P::Item>,
{
    let function: fn(P, J, Site) -> J::Output = in_parts::<P, J>;
    let site = Site::of(function as *const ());
    match in_one(&mut sequence, &job, site) {
        Some(output) => {
            // Dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be returned.
            drop(sequence);
            output
        }
        None => in_parts(sequence, job, site),
    }
}

/// Runs the whole operation on this thread, if it is known to be short.
// Not inlined, for two reasons: within a caller that is a loop itself, compilers were seen to keep the accumulator in memory, which
// takes four times as long. And the lookup of the site is inlined here. It uses a thread-local address, which must not be kept
// across user code: that code may wait, and resume on another thread. Here no user code runs before the lookup.
#[inline(never)]
fn in_one<P, J>(sequence: &mut P, job: &J, site: Site) -> Option<J::Output>
where
    P: Par,
    J: Job<P::Item>,
{
    match sequence.policy().takes_whole(sequence.bound(), site) {
        Short::No => None,
        Short::Yes => Some(sequence.whole(job)),
        Short::Sampled => sampled(sequence, job, site),
    }
}

/// Runs the whole operation on this thread, and measures its time.
// A separate function without a second copy of the loop: each loop would otherwise save the registers that the measurement needs.
#[cold]
#[inline(never)]
fn sampled<P, J>(sequence: &mut P, job: &J, site: Site) -> Option<J::Output>
where
    P: Par,
    J: Job<P::Item>,
{
    let len = sequence.bound();
    let sample = Sample::begin();
    let output = in_one(sequence, job, site)?;
    sample.end(site, len);
    Some(output)
}

/// Runs the operation in as many chunks and parts as it needs.
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
