//! Items that are let through or not, by what has been let through so far.

use super::by_job;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use crate::par::{Par, Splitting};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A sequence of those items that a gate lets through. Which these are depends on the schedule: [`Par::take_any`] and its like.
#[derive(Clone, Debug)]
pub struct Gated<P, G> {
    base: P,
    gate: G,
}

/// [`Par::take_any`].
pub type TakeAny<P> = Gated<P, AtMost>;
/// [`Par::skip_any`].
pub type SkipAny<P> = Gated<P, AllBut>;
/// [`Par::take_any_while`].
pub type TakeAnyWhile<P, F> = Gated<P, While<F>>;
/// [`Par::skip_any_while`].
pub type SkipAnyWhile<P, F> = Gated<P, Since<F>>;

impl<P, G> Gated<P, G> {
    pub(crate) fn new(base: P, gate: G) -> Self {
        Gated { base, gate }
    }
}

/// What becomes of an item.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// It goes through.
    Pass,
    /// It does not.
    Stay,
    /// Neither it nor anything that comes later does.
    Over,
}
use Verdict::{Over, Pass, Stay};

/// Lets items through or not, and counts. Relaxed: nothing but the count depends on it.
pub trait Gate<T>: Send + Sync {
    /// The count to begin with. Where it comes to 0 it stays there.
    fn first(&self) -> usize;

    /// Says what becomes of an item.
    fn judge(&self, left: &AtomicUsize, item: &T) -> Verdict;

    /// Whether nothing goes through any more.
    fn is_over(&self, left: usize) -> bool;
}

/// Counts one down, if there is one.
fn count(left: &AtomicUsize) -> bool {
    left.load(Relaxed) > 0
        && left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_ok()
}

/// Lets so many through.
#[derive(Clone, Copy, Debug)]
pub struct AtMost(pub(crate) usize);

impl<T> Gate<T> for AtMost {
    fn first(&self) -> usize {
        self.0
    }

    #[inline]
    fn judge(&self, left: &AtomicUsize, _item: &T) -> Verdict {
        if count(left) { Pass } else { Over }
    }

    fn is_over(&self, left: usize) -> bool {
        left == 0
    }
}

/// Lets all but so many through.
#[derive(Clone, Copy, Debug)]
pub struct AllBut(pub(crate) usize);

impl<T> Gate<T> for AllBut {
    fn first(&self) -> usize {
        self.0
    }

    #[inline]
    fn judge(&self, left: &AtomicUsize, _item: &T) -> Verdict {
        if count(left) { Stay } else { Pass }
    }

    fn is_over(&self, _left: usize) -> bool {
        false
    }
}

/// Lets items through until one is not such.
#[derive(Clone, Copy, Debug)]
pub struct While<F>(pub(crate) F);

impl<T, F: Fn(&T) -> bool + Send + Sync> Gate<T> for While<F> {
    fn first(&self) -> usize {
        1
    }

    #[inline]
    fn judge(&self, left: &AtomicUsize, item: &T) -> Verdict {
        if left.load(Relaxed) == 0 {
            return Over;
        }
        if (self.0)(item) {
            return Pass;
        }
        left.store(0, Relaxed);
        Over
    }

    fn is_over(&self, left: usize) -> bool {
        left == 0
    }
}

/// Lets items through since one has not been such.
#[derive(Clone, Copy, Debug)]
pub struct Since<F>(pub(crate) F);

impl<T, F: Fn(&T) -> bool + Send + Sync> Gate<T> for Since<F> {
    fn first(&self) -> usize {
        1
    }

    #[inline]
    fn judge(&self, left: &AtomicUsize, item: &T) -> Verdict {
        if left.load(Relaxed) > 0 {
            if (self.0)(item) {
                return Stay;
            }
            left.store(0, Relaxed);
        }
        Pass
    }

    fn is_over(&self, _left: usize) -> bool {
        false
    }
}

impl<P: Par, G: Gate<P::Item>> Par for Gated<P, G> {
    type Item = P::Item;
    type Policy = P::Policy;

    fn policy(&self) -> P::Policy {
        self.base.policy()
    }

    fn bound(&self) -> usize {
        self.base.bound()
    }

    fn exact_len(&self) -> Option<usize> {
        None
    }

    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<P::Item>,
    {
        let job = GatedJob::new(job, &self.gate, origin.outer);
        self.base.drive(policy, &job, origin)
    }

    fn flat<J>(self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<P::Item>,
    {
        let job = GatedJob::new(job, &self.gate, Some(scope));
        self.base.flat(&job, state, scope);
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<P::Item>,
    {
        self.base.whole(&GatedJob::new(job, &self.gate, None))
    }
}

/// Hands chunks on to the job, without those items that are not let through. Where nothing is any more, nothing is begun: parts end where
/// they are, as if what is left had no items.
struct GatedJob<'a, J, G> {
    job: &'a J,
    gate: &'a G,
    left: AtomicUsize,
    /// What the sequence is nested in, which goes on.
    outer: Option<Scope<'a>>,
}

impl<'a, J, G> GatedJob<'a, J, G> {
    fn new<T>(job: &'a J, gate: &'a G, outer: Option<Scope<'a>>) -> Self
    where
        G: Gate<T>,
    {
        GatedJob {
            job,
            gate,
            left: AtomicUsize::new(gate.first()),
            outer,
        }
    }
}

impl<T, J, G> Job<T> for GatedJob<'_, J, G>
where
    J: Job<T>,
    G: Gate<T>,
{
    by_job!(T);

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        state: &mut J::State,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        if !self.gate.is_over(self.left.load(Relaxed)) {
            let (gate, left) = (self.gate, &self.left);
            self.job
                .chunk(state, at, GatedChunk { chunk, gate, left }, scope);
        }
        if self.gate.is_over(self.left.load(Relaxed)) {
            scope.stop_all_within(self.outer);
        }
    }
}

/// A chunk of what is let through.
#[derive(Debug)]
struct GatedChunk<'a, C, G> {
    chunk: C,
    gate: &'a G,
    left: &'a AtomicUsize,
}

impl<'a, C, G> Chunk for GatedChunk<'a, C, G>
where
    C: Chunk,
    G: Gate<C::Item>,
{
    type Item = C::Item;
    type Iter = GatedIter<'a, C::Iter, G>;

    #[inline]
    fn len(&self) -> usize {
        self.chunk.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        GatedChunk {
            chunk: self.chunk.cut(count),
            ..*self
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        GatedIter {
            items: self.chunk.into_iter(),
            gate: self.gate,
            left: self.left,
        }
    }
}

/// Runs through what is let through.
#[derive(Debug)]
struct GatedIter<'a, I, G> {
    items: I,
    gate: &'a G,
    left: &'a AtomicUsize,
}

impl<I, G> Iterator for GatedIter<'_, I, G>
where
    I: Iterator,
    G: Gate<I::Item>,
{
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        while !self.gate.is_over(self.left.load(Relaxed)) {
            let item = self.items.next()?;
            match self.gate.judge(self.left, &item) {
                Pass => return Some(item),
                Stay => {}
                Over => return None,
            }
        }
        None
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.size_hint().1)
    }
}
