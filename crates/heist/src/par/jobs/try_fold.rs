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

/// A fold of values up to the first failure, which combines values in the same order as [`Fold`]. Items to the right of a failure are not
/// processed.
#[derive(Debug)]
pub(crate) struct TryFold<R, I, F, C, K> {
    fold: Fold<ByTrying<R, I, F, C, K>>,
}

impl<R, I, F, C, K> TryFold<R, I, F, C, K> {
    pub(crate) fn new(leaf: usize, identity: I, fold: F, combine: C, is_failure: K) -> Self {
        let folding = ByTrying {
            identity,
            fold,
            combine,
            is_failure,
            outcome: PhantomData,
        };
        TryFold {
            fold: Fold::of(leaf, folding),
        }
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
        if state.is_final() {
            return;
        }
        self.fold.chunk(state, at, chunk, scope);
        if state.is_final() {
            scope.stop_after();
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        // If the left part has failed, the right part need not be its neighbour.
        if !left.is_final() {
            self.fold.merge(left, right);
        }
    }

    fn absorb(&self, state: &mut Self::State, at: usize, inner: Self::State, scope: Scope<'_>) {
        if !state.is_final() {
            self.fold.absorb(state, at, inner, scope);
        }
        // The operator may have failed when it added the nested sequence's value, although the nested sequence itself did not fail.
        if state.is_final() {
            scope.stop_after();
        }
    }

    fn is_final(&self, state: &Self::State) -> bool {
        state.is_final()
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

/// A fold by functions of the caller that may fail.
#[derive(Debug)]
struct ByTrying<R, I, F, C, K> {
    identity: I,
    fold: F,
    combine: C,
    /// Returns true if an item itself is a failure.
    is_failure: K,
    outcome: PhantomData<fn() -> R>,
}

impl<T, R, I, F, C, K> Folding<T> for ByTrying<R, I, F, C, K>
where
    R: Outcome,
    I: Fn() -> R::Value + Sync,
    F: Fn(R::Value, T) -> R + Sync,
    C: Fn(R::Value, R::Value) -> R + Sync,
    K: Fn(&T) -> bool + Sync,
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
        let all = items.try_fold(open?, |all, item| (self.fold)(all, item).branch());
        // Unused values are dropped explicitly, also below: if a destructor panics at the end of the function, compilers leak the
        // value to be returned.
        drop(items);
        all
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
        match (left, right) {
            (Continue(left), Continue(right)) => (self.combine)(left, right).branch(),
            (Continue(left), Break(failure)) => {
                drop(left);
                Break(failure)
            }
            (Break(failure), right) => {
                drop(right);
                Break(failure)
            }
        }
    }

    #[inline]
    fn may_end(&self) -> bool {
        true
    }

    #[inline]
    fn is_final(&self, value: &Self::Acc) -> bool {
        value.is_break()
    }

    #[inline]
    fn is_final_open(&self, open: &Self::Open) -> bool {
        open.is_break()
    }

    #[inline]
    fn is_final_item(&self, item: &T) -> bool {
        (self.is_failure)(item)
    }
}

#[cfg(test)]
mod tests {
    use super::TryFold;
    use crate::par::job::Job;
    use crate::par::limit::{Limit, Scope};
    use crate::par::source::Source;
    use crate::par::{Indexed, Outcome, Par, ToPar};
    use std::cell::Cell;

    thread_local! {
        static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    /// Returns true for `None`. Counts the checked items.
    fn is_failure(item: &Option<usize>) -> bool {
        LOOKED.set(LOOKED.get() + 1);
        item.is_failure()
    }

    /// Processes a part from position `from` to position `to`, in which the item at `fails_at` fails. Merges the part with the
    /// items before it and returns the result. Also returns the number of chunks and the number of items that the part has checked.
    fn part(from: usize, to: usize, fails_at: usize) -> (Option<usize>, usize, usize) {
        let both = |a: usize, b: usize| a.checked_add(b);
        let fold = |all, item: Option<usize>| both(all, item?);
        let job = TryFold::new(1 << 14, || 0, fold, both, is_failure);
        let limit = Limit::new(None);
        let mut items = (from..to).par().map(|at| (at != fails_at).then_some(at));
        let mut source = items.source();
        let mut state = job.begin(from);
        let (mut at, mut chunks) = (from, 0);
        LOOKED.set(0);
        while source.len() > 0 && !limit.is_reached(at) {
            job.chunk(&mut state, at, source.take_front(1), Scope::new(&limit, at));
            (at, chunks) = (at + 1, chunks + 1);
        }
        let looked = LOOKED.get();
        let mut left = job.begin(0);
        let mut first = (0..from).par().map(Some);
        let whole = first.source().take_front(from);
        job.chunk(&mut left, 0, whole, Scope::new(&limit, 0));
        job.merge(&mut left, state);
        (job.finish(left), chunks, looked)
    }

    #[test]
    fn kept_items_are_visited_once() {
        // The part keeps each item of the leaf in whose middle it begins.
        let len = if cfg!(miri) { 300 } else { 1 << 14 };
        assert_eq!(
            part(1, len, len),
            (Some(len * (len - 1) / 2), len - 1, len - 1)
        );
        // The part ends at a failure, even if it only keeps the failed item.
        assert_eq!(part(1, len, 200), (None, 200, 200));
    }

    #[test]
    fn a_failure_in_an_open_leaf_ends_the_part() {
        let limit = Limit::new(None);
        let called = std::sync::atomic::AtomicUsize::new(0);
        let fold = |all: usize, item: usize| {
            called.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            (item != 3).then_some(all + item)
        };
        let job = TryFold::new(4, || 0, fold, |a, b| Some(a + b), |_: &usize| false);
        let mut items = (0..64_usize).par();
        let mut source = items.source();
        let mut state = job.begin(0);
        job.chunk(&mut state, 0, source.take_front(2), Scope::new(&limit, 0));
        assert!(!limit.is_reached(2));
        // The part fails when its leaf is complete, in the middle of the chunk.
        job.chunk(&mut state, 2, source.take_front(62), Scope::new(&limit, 2));
        assert!(limit.is_reached(3));
        assert_eq!(job.finish(state), None);
        assert_eq!(called.into_inner(), 4);
    }
}
