//! The concatenation of two sequences.

use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::{Limit, OnPanic, Scope};
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::splitting::{Drive, Sample, Site};
use crate::par::{Indexed, Par, Splitting};
use std::mem::forget;

/// The sequence that [`Par::chain`] returns.
#[derive(Clone, Debug)]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

/// Determines the positions at which a job sees the items of the two sequences.
#[derive(Clone, Copy, Debug)]
enum Seam {
    /// Each item has a position of its own. The second sequence begins at the given position, behind the items of the first sequence.
    Place(usize),
    /// Each sequence counts as a single position: the first sequence as position 0, and the second sequence as position 1.
    Nested,
}

impl Seam {
    /// Returns the position of the second sequence.
    fn at(self) -> usize {
        match self {
            Seam::Place(at) => at,
            Seam::Nested => 1,
        }
    }

    /// Returns the job that runs on the second sequence: the given job, with shifted positions.
    fn behind<J>(self, job: &J) -> Behind<'_, J> {
        let by = match self {
            Seam::Place(at) => at,
            Seam::Nested => 0,
        };
        Behind { job, by }
    }
}

impl<A: Par, B: Par<Item = A::Item>> Chain<A, B> {
    fn seam(&self) -> Seam {
        let place = self.exact_len().and_then(|_| self.a.exact_len());
        place.map_or(Seam::Nested, Seam::Place)
    }

    /// Runs both sequences on this thread, one after the other.
    fn pieces<J>(&mut self, job: &J, state: &mut J::State, limit: &Limit<'_>)
    where
        J: Job<A::Item>,
    {
        let seam = self.seam();
        let (first, second) = (Scope::new(limit, 0), Scope::new(limit, seam.at()));
        let (a, b, behind) = (&mut self.a, &mut self.b, seam.behind(job));
        if matches!(seam, Seam::Place(_)) || job.absorbs_items() {
            a.flat(job, state, first);
            if !second.is_over() && !job.is_final(state) {
                b.flat(&behind, state, second);
            }
            return;
        }
        let mut inner = job.begin(0);
        a.flat(job, &mut inner, first);
        job.absorb(state, 0, inner, first);
        if !second.is_over() {
            let mut inner = job.begin(0);
            b.flat(&behind, &mut inner, second);
            job.absorb(state, 1, inner, second);
        }
    }
}

impl<A: Par, B: Par<Item = A::Item>> Par for Chain<A, B> {
    type Item = A::Item;
    type Policy = A::Policy;

    fn policy(&self) -> A::Policy {
        self.a.policy()
    }

    fn bound(&self) -> usize {
        self.a.bound().saturating_add(self.b.bound())
    }

    fn exact_len(&self) -> Option<usize> {
        // If the total length overflows, the items of the concatenation have no positions.
        self.a.exact_len()?.checked_add(self.b.exact_len()?)
    }

    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<A::Item>,
    {
        let (seam, bound) = (self.seam(), self.bound());
        let Chain { a, b } = self;
        let sample = Sample::begin();
        let drive = Drive::new(job, origin);
        // Each of the two loops learns the length of its own chunks.
        let of_a = Site::of(A::drive::<X, J> as *const ());
        let of_b = Site::of(B::drive::<X, Behind<'_, J>> as *const ());
        let state = drive.both(
            0,
            || half(&drive, seam, of_a, 0, |origin| a.drive(policy, job, origin)),
            seam.at(),
            |_| {
                half(&drive, seam, of_b, seam.at(), |origin| {
                    b.drive(policy, &seam.behind(job), origin)
                })
            },
        );
        // Each loop has learned only its own cost, so neither knows whether both together are short.
        if drive.limit.wants_all() {
            sample.end_of_all(origin.site, bound);
        }
        state
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<A::Item>,
    {
        self.pieces(job, state, &Limit::new(Some(scope)));
    }

    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<A::Item>,
    {
        let mut state = job.begin(0);
        self.pieces(job, &mut state, &Limit::new(None));
        job.finish(state)
    }
}

/// Runs one of the two sequences and adds its result to the state. All items of this sequence count as the single position `at`.
fn half<T, J: Job<T>>(
    drive: &Drive<'_, J>,
    seam: Seam,
    site: Site,
    at: usize,
    run: impl FnOnce(Origin<'_>) -> J::State,
) -> J::State {
    let scope = Scope::new(&drive.limit, at);
    let inner = run(Origin {
        site,
        outer: Some(scope),
    });
    if let Seam::Place(_) = seam {
        // With `Seam::Nested`, the absorbed result stops the parts to the right. An enclosing operation learns of the match when
        // both sequences have ended.
        if drive.job.is_final(&inner) {
            scope.provisional().stop_after();
        }
        return inner;
    }
    let mut state = drive.job.begin(at);
    let on_panic = OnPanic(scope);
    drive.job.absorb(&mut state, at, inner, scope);
    forget(on_panic);
    state
}

/// A job that shifts the positions of each chunk right by a fixed distance, and passes the chunk to the wrapped job.
struct Behind<'a, J> {
    job: &'a J,
    by: usize,
}

impl<T, J: Job<T>> Job<T> for Behind<'_, J> {
    type State = J::State;
    type Output = J::Output;

    #[inline]
    fn grain(&self) -> usize {
        self.job.grain()
    }

    fn begin(&self, at: usize) -> J::State {
        self.job.begin(self.by + at)
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        self.job.chunk(state, self.by + at, chunk, scope);
    }

    fn merge(&self, left: &mut J::State, right: J::State) {
        self.job.merge(left, right);
    }

    fn absorb(&self, state: &mut J::State, at: usize, inner: J::State, scope: Scope<'_>) {
        self.job.absorb(state, self.by + at, inner, scope);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        self.job.absorbs_items()
    }

    #[inline]
    fn is_final(&self, state: &J::State) -> bool {
        self.job.is_final(state)
    }

    fn finish(&self, state: J::State) -> J::Output {
        self.job.finish(state)
    }
}

/// Returns the sum of the lengths of two sequences. Panics if the sum overflows.
fn sum(a: usize, b: usize) -> usize {
    a.checked_add(b)
        .expect("heist: a sequence must not be longer than usize::MAX")
}

impl<A: Indexed, B: Indexed<Item = A::Item>> Indexed for Chain<A, B> {
    type Source<'a>
        = Chained<A::Source<'a>, B::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        sum(self.a.len(), self.b.len())
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        // The call panics if the length overflows.
        let _ = self.len();
        Chained {
            a: Some(self.a.source()),
            b: Some(self.b.source()),
        }
    }
}

/// The remaining items of two concatenated sequences, a chunk of one or both sequences, or an iterator over such a chunk. A side is
/// `None` if it is empty.
#[derive(Debug)]
pub struct Chained<A, B> {
    a: Option<A>,
    b: Option<B>,
}

impl<A: Source, B: Source<Item = A::Item>> Chained<A, B> {
    #[inline]
    fn a_len(&self) -> usize {
        self.a.as_ref().map_or(0, Source::len)
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for Chained<A, B> {
    type Item = A::Item;
    type Chunk = Chained<A::Chunk, B::Chunk>;

    #[inline]
    fn len(&self) -> usize {
        self.a_len() + self.b.as_ref().map_or(0, Source::len)
    }

    fn reach(&self, at_most: usize) -> usize {
        let a_len = self.a_len();
        let in_a = self.a.as_ref().map_or(0, |a| a.reach(at_most));
        if in_a < a_len {
            return in_a;
        }
        a_len + self.b.as_ref().map_or(0, |b| b.reach(at_most - a_len))
    }

    fn reach_back(&self, at_most: usize) -> usize {
        let b_len = self.b.as_ref().map_or(0, Source::len);
        let in_b = self.b.as_ref().map_or(0, |b| b.reach_back(at_most));
        if in_b < b_len {
            return in_b;
        }
        b_len + self.a.as_ref().map_or(0, |a| a.reach_back(at_most - b_len))
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let from_a = count.min(self.a_len());
        let from_b = count - from_a;
        let take_a = self.a.as_mut().filter(|_| from_a > 0);
        let take_b = self.b.as_mut().filter(|_| from_b > 0);
        Chained {
            a: take_a.map(|a| a.take_front(from_a)),
            b: take_b.map(|b| b.take_front(from_b)),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let a_len = self.a_len();
        if at < a_len {
            return Chained {
                a: self.a.as_mut().map(|a| a.split_off(at)),
                b: self.b.take(),
            };
        }
        Chained {
            a: None,
            b: self.b.as_mut().map(|b| b.split_off(at - a_len)),
        }
    }

    fn split_point(&self) -> Option<usize> {
        let (a, b) = (self.a_len(), self.b.as_ref().map_or(0, Source::len));
        match (a, b) {
            (0, _) => self.b.as_ref()?.split_point(),
            (_, 0) => self.a.as_ref()?.split_point(),
            _ => Some(a),
        }
    }
}

impl<A: Chunk, B: Chunk<Item = A::Item>> Chunk for Chained<A, B> {
    type Item = A::Item;
    type Iter = Chained<A::Iter, B::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.a.as_ref().map_or(0, Chunk::len) + self.b.as_ref().map_or(0, Chunk::len)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let from_a = count.min(self.a.as_ref().map_or(0, Chunk::len));
        let from_b = count - from_a;
        let cut_a = self.a.as_mut().filter(|_| from_a > 0);
        let cut_b = self.b.as_mut().filter(|_| from_b > 0);
        Chained {
            a: cut_a.map(|a| a.cut(from_a)),
            b: cut_b.map(|b| b.cut(from_b)),
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        Chained {
            a: self.a.map(Chunk::into_iter),
            b: self.b.map(Chunk::into_iter),
        }
    }
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for Chained<A, B> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        if let Some(a) = &mut self.a {
            if let Some(item) = a.next() {
                return Some(item);
            }
            self.a = None;
        }
        self.b.as_mut()?.next()
    }

    // With the default `nth`, a `step_by` over this iterator would compute each item.
    #[inline]
    fn nth(&mut self, mut n: usize) -> Option<A::Item> {
        while let Some(a) = &mut self.a {
            // At least `sure` items are left in `a`, so a single call skips them.
            let sure = a.size_hint().0.max(1);
            match a.nth(n.min(sure - 1)) {
                Some(item) if n < sure => return Some(item),
                Some(_) => n -= sure,
                None => self.a = None,
            }
        }
        self.b.as_mut()?.nth(n)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let of_a = self.a.as_ref().map_or((0, Some(0)), A::size_hint);
        let of_b = self.b.as_ref().map_or((0, Some(0)), B::size_hint);
        let at_most = of_a.1.zip(of_b.1).and_then(|(a, b)| a.checked_add(b));
        (of_a.0.saturating_add(of_b.0), at_most)
    }

    #[inline]
    fn fold<X, F: FnMut(X, A::Item) -> X>(self, mut acc: X, mut fold: F) -> X {
        if let Some(a) = self.a {
            acc = a.fold(acc, &mut fold);
        }
        if let Some(b) = self.b {
            acc = b.fold(acc, &mut fold);
        }
        acc
    }
}

impl<A: Reversible, B: Reversible<Item = A::Item>> Reversible for Chained<A, B> {
    type Back = Chained<B::Back, A::Back>;

    #[inline]
    fn into_back(self) -> Self::Back {
        Chained {
            a: self.b.map(Reversible::into_back),
            b: self.a.map(Reversible::into_back),
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Chained;
    use proptest::prelude::*;

    /// Takes the `n`th remaining item for each `n` in `steps`, and then all remaining items.
    fn taken(
        mut items: impl Iterator<Item = u32>,
        steps: &[usize],
    ) -> (Vec<Option<u32>>, Vec<u32>) {
        let taken = steps.iter().map(|n| items.nth(*n)).collect();
        (taken, items.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_nth_is_that_of_an_iterator(
            a in 0..20_u32,
            b in 0..20_u32,
            c in 0..20_u32,
            steps in prop::collection::vec(0..12_usize, 0..8),
        ) {
            // The length of the filtered sequences is unknown.
            let some = |n: u32| (0..n).filter(|x| x % 3 != 1);
            let ours = Chained {
                a: Some(Chained { a: Some(0..a), b: Some(some(b)) }),
                b: Some(100..100 + c),
            };
            let theirs = (0..a).chain(some(b)).chain(100..100 + c);
            prop_assert_eq!(taken(ours, &steps), taken(theirs, &steps));
            let ours = Chained { a: Some(some(a)), b: Some(some(b)) };
            let theirs = some(a).chain(some(b));
            prop_assert_eq!(taken(ours, &steps), taken(theirs, &steps));
        }
    }
}
