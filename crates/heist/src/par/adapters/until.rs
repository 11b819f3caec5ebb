//! Adapters that yield the values of a sequence up to the first failure.

use super::by_base;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use crate::par::{Outcome, Par, Splitting};
use std::cell::OnceCell;
use std::mem::replace;
use std::ops::ControlFlow;

/// Calls `make` with the values of a sequence and returns its result, or returns the leftmost failure. The operation ends early at a
/// failure.
pub(crate) fn until<P, C>(
    sequence: P,
    make: impl FnOnce(Until<'_, P, <P::Item as Outcome>::Failure>) -> C,
) -> Result<C, <P::Item as Outcome>::Failure>
where
    P: Par<Item: Outcome>,
{
    let mut failure = None;
    let made = make(Until {
        base: sequence,
        failure: &mut failure,
    });
    match failure {
        None => Ok(made),
        Some(failure) => {
            // This drop is explicit: if a destructor panics at the end of a function, compilers leak the failure to be returned.
            drop(made);
            Err(failure)
        }
    }
}

/// The values of a sequence up to the first failure. The sequence stores the failure in `failure`.
#[derive(Debug)]
pub(crate) struct Until<'f, P, E> {
    base: P,
    failure: &'f mut Option<E>,
}

impl<P, T> Par for Until<'_, P, T::Failure>
where
    P: Par<Item = T>,
    T: Outcome,
{
    type Item = T::Value;
    by_base!(|_| None);

    fn full_len(&self) -> Option<usize> {
        self.base.full_len()
    }

    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<T::Value>,
    {
        let (state, failure) = self
            .base
            .drive(policy, &UntilJob::new(job, origin.outer), origin);
        *self.failure = failure;
        state
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<T::Value>,
    {
        let mut both = (replace(state, job.begin(0)), None);
        self.base
            .flat(&UntilJob::new(job, Some(scope)), &mut both, scope);
        (*state, *self.failure) = both;
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<T::Value>,
    {
        let (output, failure) = self.base.whole(&UntilJob::new(job, None));
        *self.failure = failure;
        output
    }
}

/// A job that passes chunks of values to the wrapped job. Each part of the schedule stores its first failure, and ignores all items behind
/// this failure.
pub(super) struct UntilJob<'a, J> {
    job: &'a J,
    /// The scope of the operation that encloses this sequence. A failure does not end this scope.
    outer: Option<Scope<'a>>,
}

impl<'a, J> UntilJob<'a, J> {
    pub(super) fn new(job: &'a J, outer: Option<Scope<'a>>) -> Self {
        UntilJob { job, outer }
    }
}

impl<T, J> Job<T> for UntilJob<'_, J>
where
    T: Outcome,
    J: Job<T::Value>,
{
    type State = (J::State, Option<T::Failure>);
    type Output = (J::Output, Option<T::Failure>);

    #[inline]
    fn grain(&self) -> usize {
        self.job.grain()
    }

    fn begin(&self, at: usize) -> Self::State {
        (self.job.begin(at), None)
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        (state, failure): &mut Self::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        if failure.is_some() {
            return;
        }
        let found = OnceCell::new();
        let values = UntilChunk {
            chunk,
            failure: &found,
        };
        self.job.chunk(state, at, values, scope.provisional());
        *failure = found.into_inner();
        if failure.is_some() {
            scope.stop_after_within(self.outer);
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        // If the left part has failed, a failure on the right does not count, because the values have already ended on the left.
        if !Job::<T>::is_final(self, left) {
            self.job.merge(&mut left.0, right.0);
            left.1 = right.1;
        }
    }

    fn absorb(&self, state: &mut Self::State, at: usize, inner: Self::State, scope: Scope<'_>) {
        if !Job::<T>::is_final(self, state) {
            self.job
                .absorb(&mut state.0, at, inner.0, scope.provisional());
            state.1 = inner.1;
        }
        // While it is unknown whether a failure counts, a nested sequence reports the failure only to its own scope.
        if state.1.is_some() {
            scope.stop_after_within(self.outer);
        }
    }

    #[inline]
    fn is_final(&self, (state, failure): &Self::State) -> bool {
        failure.is_some() || self.job.is_final(state)
    }

    fn finish(&self, (state, failure): Self::State) -> Self::Output {
        (self.job.finish(state), failure)
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> Self::Output {
        let found = OnceCell::new();
        let values = UntilChunk {
            chunk,
            failure: &found,
        };
        let output = self.job.whole(values, scope.provisional());
        (output, found.into_inner())
    }
}

/// A chunk of values. The chunk yields no items behind the first failure. The same holds for a part that was cut off from the chunk.
#[derive(Debug)]
struct UntilChunk<'f, C, E> {
    chunk: C,
    failure: &'f OnceCell<E>,
}

impl<'f, T, C> Chunk for UntilChunk<'f, C, T::Failure>
where
    T: Outcome,
    C: Chunk<Item = T>,
{
    type Item = T::Value;
    type Iter = UntilIter<'f, C::Iter, T::Failure>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        UntilChunk {
            chunk: self.chunk.cut(count),
            failure: self.failure,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        UntilIter {
            items: self.chunk.into_iter(),
            failure: self.failure,
        }
    }
}

/// An iterator over the values before the first failure.
#[derive(Debug)]
struct UntilIter<'f, I, E> {
    items: I,
    failure: &'f OnceCell<E>,
}

/// Stores a failure, unless an earlier failure is stored already.
#[cold]
fn fail<E>(cell: &OnceCell<E>, failure: E) {
    let _ = cell.set(failure);
}

impl<T, I> Iterator for UntilIter<'_, I, T::Failure>
where
    T: Outcome,
    I: Iterator<Item = T>,
{
    type Item = T::Value;

    #[inline]
    fn next(&mut self) -> Option<T::Value> {
        if self.failure.get().is_some() {
            return None;
        }
        match self.items.next()?.branch() {
            ControlFlow::Continue(value) => Some(value),
            ControlFlow::Break(failure) => {
                fail(self.failure, failure);
                None
            }
        }
    }

    #[inline]
    fn fold<A, F: FnMut(A, T::Value) -> A>(mut self, init: A, mut fold: F) -> A {
        if self.failure.get().is_some() {
            return init;
        }
        let folded = self.items.try_fold(init, |all, item| match item.branch() {
            ControlFlow::Continue(value) => Ok(fold(all, value)),
            ControlFlow::Break(failure) => {
                fail(self.failure, failure);
                Err(all)
            }
        });
        // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
        drop(self.items);
        folded.unwrap_or_else(|all| all)
    }
}
