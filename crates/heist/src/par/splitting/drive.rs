//! State shared by all parts of one operation.

use super::Site;
use crate::cancel;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::{Limit, OnPanic, Scope};
use crate::par::source::{Chunk, Source};
use std::sync::atomic::Ordering;

/// A running operation.
#[derive(Debug)]
pub struct Drive<'d, J> {
    pub(crate) job: &'d J,
    pub(crate) limit: Limit<'d>,
    pub(crate) site: Site,
    /// Flag of the cancel scope that contains the operation.
    cancelled: &'d cancel::Flag,
}

impl<'d, J> Drive<'d, J> {
    /// Creates the state of an operation that is about to begin.
    #[inline]
    pub(crate) fn new(job: &'d J, origin: Origin<'d>) -> Self {
        Drive {
            job,
            limit: Limit::new(origin.outer),
            site: origin.site,
            // SAFETY: the operation ends, with all its parts, before the caller leaves the scope.
            cancelled: unsafe { cancel::flag() },
        }
    }

    /// Adds one chunk to the state. This code is a separate function, so compilers optimise the loop well, and in the same way for
    /// all policies. When the function was inlined into the policies, the loop took an eighth more time.
    #[inline(never)]
    pub(crate) fn chunk<T, C>(&self, state: &mut J::State, at: usize, chunk: C)
    where
        J: Job<T>,
        C: Chunk<Item = T>,
    {
        let scope = Scope::new(&self.limit, at);
        let on_panic = OnPanic(scope);
        if self.cancelled.load(Ordering::Relaxed) {
            cancel::check();
        }
        self.job.chunk(state, at, chunk, scope);
        std::mem::forget(on_panic);
    }

    /// Merges the right part into the left part. The argument `at` is the position at which the left part begins, or a later position that
    /// the left part has reached.
    ///
    /// Does nothing if the operation needs no result at position `at` or later. In this case the left part may have ended early, so the two
    /// parts need not be neighbours. Also does nothing if the state of the left part is final.
    pub(crate) fn merge<T>(&self, left: &mut J::State, at: usize, right: J::State)
    where
        J: Job<T>,
    {
        if self.limit.is_past(at) || self.job.is_final(left) {
            return;
        }
        let on_panic = OnPanic(Scope::new(&self.limit, at));
        self.job.merge(left, right);
        std::mem::forget(on_panic);
    }

    /// Runs the remaining positions of a part without checking for steal requests.
    pub(crate) fn sequential<S>(
        &self,
        mut source: S,
        mut at: usize,
        mut state: J::State,
    ) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        while source.len() > 0 && !self.limit.is_reached(at) {
            let count = source.reach(usize::MAX);
            self.chunk(&mut state, at, source.take_front(count));
            at += count;
        }
        // The source is dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
        // returned.
        drop(source);
        state
    }

    /// Runs two neighbouring parts. The two parts run in parallel if a thief takes the right part. The left part begins at `at`,
    /// the right part at `right_at`.
    #[inline]
    pub(crate) fn both<T>(
        &self,
        at: usize,
        left: impl FnOnce() -> J::State + Send,
        right_at: usize,
        right: impl FnOnce(J::State) -> J::State + Send,
    ) -> J::State
    where
        J: Job<T>,
    {
        let (mut left, right) = crate::join(left, || {
            (!self.limit.is_reached(right_at)).then(|| right(self.job.begin(right_at)))
        });
        if let Some(right) = right {
            self.merge(&mut left, at, right);
        }
        left
    }
}
