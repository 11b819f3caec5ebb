//! Ropes, by reference.

use super::slice::SliceSource;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::rope::Rope;
use crate::par::rope::zipper::Zipper;
use crate::par::source::Source;
use crate::par::splitting::{drive, flat, whole};
use crate::par::{Indexed, IntoPar, Lazy, Par, Splitting};
use std::fmt;

/// The sequence that [`rope.par()`](crate::par::ToPar::par) returns: the items of a rope, by reference.
#[derive(Debug)]
pub struct ParRope<'r, T> {
    rope: &'r Rope<T>,
}

impl<T> Clone for ParRope<'_, T> {
    fn clone(&self) -> Self {
        ParRope { rope: self.rope }
    }
}

/// The remaining items of a rope: a zipper. The chunks do not cross the ends of leaves.
pub struct RopeSource<'r, T>(Zipper<'r, T>);

impl<T> fmt::Debug for RopeSource<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RopeSource")
            .field("len", &self.0.len())
            .finish_non_exhaustive()
    }
}

impl<'r, T: Send + Sync> Source for RopeSource<'r, T> {
    type Item = &'r T;
    type Chunk = SliceSource<'r, T>;

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        at_most.min(self.0.front().len())
    }

    fn reach_back(&self, at_most: usize) -> usize {
        at_most.min(self.0.back_len())
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> SliceSource<'r, T> {
        SliceSource(self.0.take_front(count))
    }

    fn split_off(&mut self, at: usize) -> Self {
        RopeSource(self.0.split_off(at))
    }

    fn split_point(&self) -> Option<usize> {
        self.0.split_point()
    }
}

impl<'r, T: Send + Sync> Par for ParRope<'r, T> {
    type Item = &'r T;
    type Policy = Lazy;

    fn policy(&self) -> Lazy {
        Lazy
    }

    fn bound(&self) -> usize {
        self.rope.len()
    }

    fn exact_len(&self) -> Option<usize> {
        Some(self.rope.len())
    }

    fn drive<X, J>(mut self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<&'r T>,
    {
        drive(policy, self.source(), job, origin)
    }

    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<&'r T>,
    {
        match self.rope.single_leaf() {
            Some(leaf) => flat(SliceSource(leaf), job, state, scope),
            None => flat(self.source(), job, state, scope),
        }
    }

    #[inline]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<&'r T>,
    {
        // Nested sequences often contain many short ropes, which need no zipper.
        match self.rope.single_leaf() {
            Some(leaf) => whole(SliceSource(leaf), job),
            None => whole(self.source(), job),
        }
    }
}

impl<'r, T: Send + Sync> Indexed for ParRope<'r, T> {
    type Source<'a>
        = RopeSource<'r, T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.rope.len()
    }

    #[inline]
    fn source(&mut self) -> RopeSource<'r, T> {
        RopeSource(Zipper::new(self.rope))
    }
}

impl<'r, T: Send + Sync> IntoPar for &'r Rope<T> {
    type Item = &'r T;
    type Par = ParRope<'r, T>;

    #[inline]
    fn into_par(self) -> ParRope<'r, T> {
        ParRope { rope: self }
    }
}
