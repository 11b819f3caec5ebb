//! Values that a function divides in two, again and again, until it cannot divide them further.

use super::option::OptionSource;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::{OnPanic, Scope};
use crate::par::splitting::{Drive, Site};
use crate::par::{Lazy, Par, Splitting};
use std::fmt;
use std::mem::forget;

/// The sequence that [`split`](crate::par::split) returns: the pieces into which a function divides a value.
pub struct ParDivide<D, F> {
    // This field is `None` after the sequence has run.
    all: Option<D>,
    divide: F,
}

impl<D, F> ParDivide<D, F> {
    pub(crate) fn new(all: D, divide: F) -> Self {
        ParDivide {
            all: Some(all),
            divide,
        }
    }
}

impl<D: fmt::Debug, F> fmt::Debug for ParDivide<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParDivide")
            .field("all", &self.all)
            .finish_non_exhaustive()
    }
}

impl<D, F> ParDivide<D, F> {
    /// Takes the whole value out of the sequence.
    fn taken(&mut self) -> ParDivide<D, &F> {
        ParDivide {
            all: self.all.take(),
            divide: &self.divide,
        }
    }
}

impl<D, F> Par for ParDivide<D, F>
where
    D: Send,
    F: Fn(D) -> (D, Option<D>) + Send + Sync,
{
    type Item = D;
    type Policy = Lazy;

    fn policy(&self) -> Lazy {
        Lazy
    }

    // The number of pieces is unknown, so the loop never counts as short.
    fn bound(&self) -> usize {
        usize::MAX
    }

    fn exact_len(&self) -> Option<usize> {
        None
    }

    fn drive<X, J>(self, _policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<D>,
    {
        match self.all {
            Some(all) => {
                let state = node(&self.divide, all, job, origin);
                // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
                drop(self.divide);
                state
            }
            None => job.begin(0),
        }
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<D>,
    {
        let origin = Origin {
            site: Site::of(Self::flat::<J> as *const ()),
            outer: Some(scope),
        };
        let all = self.taken().drive(Lazy, job, origin);
        job.merge(state, all);
    }

    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<D>,
    {
        let origin = Origin {
            site: Site::of(Self::whole::<J> as *const ()),
            outer: None,
        };
        job.finish(self.taken().drive(Lazy, job, origin))
    }
}

/// Runs the job on all pieces of one value, and returns the result. If the function divides the value, the value counts as a sequence of
/// two positions, one for all pieces of each half. Every worker divides the value in the same way. The two halves may always run in
/// parallel, so the policy has no effect.
fn node<D, F, J>(divide: &F, all: D, job: &J, origin: Origin<'_>) -> J::State
where
    D: Send,
    F: Fn(D) -> (D, Option<D>) + Sync,
    J: Job<D>,
{
    let drive = Drive::new(job, origin);
    let on_panic = OnPanic(Scope::new(&drive.limit, 0));
    let (left, right) = divide(all);
    forget(on_panic);
    let Some(right) = right else {
        let mut state = job.begin(0);
        drive.chunk(&mut state, 0, OptionSource(Some(left)));
        return state;
    };
    both_nested(
        &drive,
        |origin| node(divide, left, job, origin),
        |origin| node(divide, right, job, origin),
    )
}

/// Runs two sequences and returns their combined result. Each sequence counts as one position of a sequence of two positions. The
/// two sequences may run in parallel.
pub(super) fn both_nested<T, J, L, R>(drive: &Drive<'_, J>, left: L, right: R) -> J::State
where
    J: Job<T>,
    L: FnOnce(Origin<'_>) -> J::State + Send,
    R: FnOnce(Origin<'_>) -> J::State + Send,
{
    drive.both(
        0,
        || half(drive, 0, drive.job.begin(0), left),
        1,
        |state| half(drive, 1, state, right),
    )
}

/// Runs the sequence and adds its result to the state, unless the operation no longer needs the result. All items of the sequence count as
/// the single position `at`.
fn half<T, J: Job<T>>(
    drive: &Drive<'_, J>,
    at: usize,
    mut state: J::State,
    run: impl FnOnce(Origin<'_>) -> J::State,
) -> J::State {
    let scope = Scope::new(&drive.limit, at);
    if scope.is_over() {
        // The closure is dropped explicitly: if the destructor of a captured value panics at the end of the function, compilers
        // leak the value to be returned.
        drop(run);
        return state;
    }
    let origin = Origin {
        site: drive.site,
        outer: Some(scope),
    };
    let inner = run(origin);
    let on_panic = OnPanic(scope);
    drive.job.absorb(&mut state, at, inner, scope);
    forget(on_panic);
    state
}
