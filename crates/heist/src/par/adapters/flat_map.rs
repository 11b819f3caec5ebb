//! An adapter that replaces each item by a parallel sequence.

use super::{by_base, by_job};
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use crate::par::splitting::{Short, Site, Splitting};
use crate::par::{IntoPar, Par};

/// The sequence that [`Par::flat_map`] and [`Par::flatten`] return.
#[derive(Clone, Debug)]
pub struct FlatMap<P, F> {
    base: P,
    map: F,
}

/// The sequence that [`Par::flatten`] returns.
pub type Flatten<P> = FlatMap<P, fn(<P as Par>::Item) -> <P as Par>::Item>;

impl<P, F> FlatMap<P, F> {
    pub(crate) fn new(base: P, map: F) -> Self {
        FlatMap { base, map }
    }
}

impl<P, F, I> Par for FlatMap<P, F>
where
    P: Par,
    F: Fn(P::Item) -> I + Send + Sync,
    I: IntoPar,
{
    type Item = I::Item;
    by_base!(map, |job| FlatMapJob { job, map }, |_| None);
}

/// A job that runs a nested operation for each item, and adds the result of this operation to the state of the wrapped job.
struct FlatMapJob<'a, J, F> {
    job: &'a J,
    map: &'a F,
}

impl<T, J, F, I> Job<T> for FlatMapJob<'_, J, F>
where
    J: Job<I::Item>,
    F: Fn(T) -> I + Sync,
    I: IntoPar,
{
    by_job!(I::Item);

    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        mut chunk: C,
        scope: Scope<'_>,
    ) {
        let function: fn(&Self, &mut J::State, usize, C, Scope<'_>) = Self::chunk::<C>;
        let site = Site::of(function as *const ());
        // The chunk is cut one position at a time, because a filtered or flattened chunk yields any number of items for a position.
        for ahead in 0..chunk.len() {
            let (at, scope) = (at + ahead, scope.ahead(ahead));
            if scope.is_over() {
                return;
            }
            let mut items = chunk.cut(1).into_iter();
            if self.job.absorbs_items() {
                for item in items {
                    self.nested(state, item, site, scope);
                    if scope.ahead(1).is_over() {
                        break;
                    }
                }
                continue;
            }
            let mut inner = self.job.begin(0);
            let Some(first) = items.next() else {
                self.job.absorb(state, at, inner, scope);
                continue;
            };
            self.nested(&mut inner, first, site, scope);
            for index in 1.. {
                // A match is at this position or to its left, so the remaining items of this position are not even computed.
                if scope.ahead(1).is_over() || self.job.is_final(&inner) {
                    break;
                }
                let Some(item) = items.next() else {
                    break;
                };
                if index == 1 {
                    let mut all = self.job.begin(0);
                    self.job.absorb(&mut all, 0, inner, scope);
                    inner = all;
                }
                let mut more = self.job.begin(0);
                self.nested(&mut more, item, site, scope);
                self.job.absorb(&mut inner, index, more, scope);
            }
            self.job.absorb(state, at, inner, scope);
        }
    }
}

impl<J, F> FlatMapJob<'_, J, F> {
    /// Runs the sequence that replaces `item`, and adds its result to `state`. The state must be new, unless
    /// [`absorbs_items`](Job::absorbs_items) returns true for the job.
    fn nested<T, I>(&self, state: &mut J::State, item: T, site: Site, scope: Scope<'_>)
    where
        J: Job<I::Item>,
        F: Fn(T) -> I + Sync,
        I: IntoPar,
    {
        let mut sequence = (self.map)(item).into_par();
        let policy = sequence.policy();
        if takes_whole(policy, sequence.bound(), site) {
            sequence.flat(self.job, state, scope);
            return;
        }
        let origin = Origin {
            site,
            outer: Some(scope),
        };
        let inner = sequence.drive(policy, self.job, origin);
        self.job.merge(state, inner);
    }
}

/// Returns true if the policy runs a loop of at most `len` positions as one chunk.
// This function is not inlined, because the lookup uses a thread-local address. The function of the `flat_map` runs before and between
// lookups, and may wait and resume on another thread.
#[inline(never)]
fn takes_whole(policy: impl Splitting, len: usize, site: Site) -> bool {
    policy.takes_whole(len, site) == Short::Yes
}
