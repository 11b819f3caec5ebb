//! Runs an operation on a sequence and returns its result.

use super::Par;
use super::job::Job;
use super::limit::Scope;
use super::splitting::{Sample, Short, Site, Splitting};

/// Identifies an operation by its loop in the program and, if the operation is nested, by the position in the outer operation.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The loop in the program.
    pub(crate) site: Site,
    /// The position in the outer operation, or `None` if this operation is not nested.
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
            // The sequence is dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
            // returned.
            drop(sequence);
            output
        }
        None => in_parts(sequence, job, site),
    }
}

/// Runs the whole operation on this thread if the policy knows that the operation is short. Otherwise returns `None`.
// This function is not inlined, for two reasons. First, if this function was inlined into a caller that was itself a loop, compilers kept
// the accumulator in memory. Then the inlined loop took four times as long as a separate function. Second, the lookup of the site is
// inlined into this function, and uses a thread-local address. This address must not be kept across user code, because that code may wait
// and resume on another thread. In this function no user code runs before the lookup.
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

/// Runs the whole operation on this thread and measures its time. Returns `None` if a steal request arrives during the operation,
/// because the operation is then not short.
// This function calls `in_one`, so that the compiler does not put a second copy of the loop into this function. In a function with both the
// loop and the measurement, each loop would save the registers that the measurement needs.
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
