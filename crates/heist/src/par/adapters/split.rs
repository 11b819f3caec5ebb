//! An adapter that changes the splitting policy.

use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::{Indexed, Par, Splitting};

/// The sequence that [`Par::splitting`] returns.
#[derive(Clone, Debug)]
pub struct Split<P, X> {
    base: P,
    policy: X,
}

impl<P, X> Split<P, X> {
    pub(crate) fn new(base: P, policy: X) -> Self {
        Split { base, policy }
    }
}

impl<P: Par, X: Splitting> Par for Split<P, X> {
    type Item = P::Item;
    type Policy = X;

    fn policy(&self) -> X {
        self.policy
    }

    fn bound(&self) -> usize {
        self.base.bound()
    }

    fn exact_len(&self) -> Option<usize> {
        self.base.exact_len()
    }

    fn drive<Y, J>(self, policy: Y, job: &J, origin: Origin<'_>) -> J::State
    where
        Y: Splitting,
        J: Job<P::Item>,
    {
        self.base.drive(policy, job, origin)
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<P::Item>,
    {
        self.base.flat(job, state, scope);
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<P::Item>,
    {
        self.base.whole(job)
    }
}

impl<P: Indexed, X: Splitting> Indexed for Split<P, X> {
    type Source<'a>
        = P::Source<'a>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.base.len()
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        self.base.source()
    }
}
