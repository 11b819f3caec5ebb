//! Folds by functions that may fail.

use super::Fold;
use super::fold::Folded;
use super::monoid::Folding;
use crate::par::Outcome;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use std::marker::PhantomData;
use std::ops::ControlFlow::{self, Break, Continue};

/// A fold in the same shape as [`Fold`], of values up to the first failure. Nothing is done with what stands right of one.
#[derive(Debug)]
pub(crate) struct TryFold<R, I, F, C, K> {
    fold: Fold<ByTrying<R, I, F, C>>,
    /// Whether an item is a failure by itself.
    is_failure: K,
}

impl<R, I, F, C, K> TryFold<R, I, F, C, K> {
    pub(crate) fn new(leaf: usize, identity: I, fold: F, combine: C, is_failure: K) -> Self {
        let folding = ByTrying {
            identity,
            fold,
            combine,
            outcome: PhantomData,
        };
        TryFold {
            fold: Fold::of(leaf, folding),
            is_failure,
        }
    }

    /// Whether a part has failed already.
    fn has_failed<T, A, E>(&self, state: &Folded<T, ControlFlow<E, A>, ControlFlow<E, A>>) -> bool
    where
        K: Fn(&T) -> bool,
    {
        state.any(
            &self.is_failure,
            ControlFlow::is_break,
            ControlFlow::is_break,
        )
    }
}

impl<T, R, I, F, C, K> Job<T> for TryFold<R, I, F, C, K>
where
    T: Send,
    R: Outcome,
    I: Fn() -> R::Value + Sync,
    F: Fn(R::Value, T) -> R + Sync,
    C: Fn(R::Value, R::Value) -> R + Sync,
    K: Fn(&T) -> bool + Sync,
{
    type State = Folded<T, ControlFlow<R::Failure, R::Value>, ControlFlow<R::Failure, R::Value>>;
    type Output = R;

    fn grain(&self) -> usize {
        Job::<T>::grain(&self.fold)
    }

    fn begin(&self, at: usize) -> Self::State {
        self.fold.begin(at)
    }

    #[inline]
    fn chunk<N: Chunk<Item = T>>(
        &self,
        state: &mut Self::State,
        at: usize,
        chunk: N,
        scope: Scope<'_>,
    ) {
        if self.has_failed(state) {
            return;
        }
        self.fold.chunk(state, at, chunk, scope);
        if self.has_failed(state) {
            scope.stop_after();
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        // Else what is on the right need not be the neighbour.
        if !self.has_failed(left) {
            self.fold.merge(left, right);
        }
    }

    fn absorb(&self, state: &mut Self::State, at: usize, inner: Self::State, scope: Scope<'_>) {
        if !self.has_failed(state) {
            self.fold.absorb(state, at, inner, scope);
        }
        // It may be the operator that has failed, and not what is nested.
        if self.has_failed(state) {
            scope.stop_after();
        }
    }

    fn finish(&self, state: Self::State) -> R {
        outcome(self.fold.finish(state))
    }

    #[inline]
    fn whole<N: Chunk<Item = T>>(&self, chunk: N, scope: Scope<'_>) -> R {
        outcome(self.fold.whole(chunk, scope))
    }
}

fn outcome<R: Outcome>(flow: ControlFlow<R::Failure, R::Value>) -> R {
    match flow {
        Continue(value) => R::of(value),
        Break(failure) => R::failed(failure),
    }
}

/// By functions of the user that may fail.
#[derive(Debug)]
struct ByTrying<R, I, F, C> {
    identity: I,
    fold: F,
    combine: C,
    outcome: PhantomData<fn() -> R>,
}

impl<T, R, I, F, C> Folding<T> for ByTrying<R, I, F, C>
where
    R: Outcome,
    I: Fn() -> R::Value + Sync,
    F: Fn(R::Value, T) -> R + Sync,
    C: Fn(R::Value, R::Value) -> R + Sync,
{
    type Open = ControlFlow<R::Failure, R::Value>;
    type Acc = ControlFlow<R::Failure, R::Value>;

    #[inline]
    fn identity(&self) -> Self::Acc {
        Continue((self.identity)())
    }

    #[inline]
    fn open(&self) -> Self::Open {
        Continue((self.identity)())
    }

    #[inline]
    fn fold(&self, open: Self::Open, mut items: impl Iterator<Item = T>) -> Self::Open {
        items.try_fold(open?, |all, item| (self.fold)(all, item).branch())
    }

    #[inline]
    fn take_in(&self, open: Self::Open, value: Self::Acc) -> Self::Open {
        self.combine(open, value)
    }

    #[inline]
    fn close(&self, open: Self::Open) -> Self::Acc {
        open
    }

    #[inline]
    fn combine(&self, left: Self::Acc, right: Self::Acc) -> Self::Acc {
        (self.combine)(left?, right?).branch()
    }

    #[inline]
    fn is_final(&self, value: &Self::Acc) -> bool {
        value.is_break()
    }
}
