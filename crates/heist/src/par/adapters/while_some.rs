//! An adapter that yields values up to the first `None`.

use super::by_base;
use super::until::UntilJob;
use crate::par::Par;
use crate::par::Splitting;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use std::mem::replace;

/// The sequence that [`Par::while_some`] returns.
#[derive(Clone, Debug)]
pub struct WhileSome<P> {
    base: P,
}

impl<P> WhileSome<P> {
    pub(crate) fn new(base: P) -> Self {
        WhileSome { base }
    }
}

impl<P, T> Par for WhileSome<P>
where
    P: Par<Item = Option<T>>,
    T: Send,
{
    type Item = T;
    by_base!(|_| None);

    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<T>,
    {
        let job = UntilJob::new(job, origin.outer);
        let (state, _) = self.base.drive(policy, &job, origin);
        state
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<T>,
    {
        let mut both = (replace(state, job.begin(0)), None);
        let job = UntilJob::new(job, Some(scope));
        self.base.flat(&job, &mut both, scope);
        (*state, _) = both;
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<T>,
    {
        let (output, _) = self.base.whole(&UntilJob::new(job, None));
        output
    }
}
