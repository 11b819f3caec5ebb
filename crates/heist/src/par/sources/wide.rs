//! Ranges of integers, including ranges with more integers than `usize` can count.
//!
//! Positions are of type `usize`. A range with more integers than a `usize` can count is halved until a `usize` can count the integers of
//! each part. Each half counts as one position of a sequence of two positions, like a nested sequence. So such a range can be searched and
//! folded. But the items of such a range have no positions, so operations that need positions panic.

use super::divide::both_nested;
use super::inclusive::InclusiveSource;
use super::range::RangeIndex;
use crate::par::Splitting;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::splitting::{self, Drive};

/// Runs the job on all integers from `start` to `end`, including `end`. Halves the range until a `usize` can count the integers of each
/// part. The nesting of halves has at most 65 levels.
pub(super) fn drive<T, X, J>(
    (start, end): (T, T),
    policy: X,
    job: &J,
    origin: Origin<'_>,
) -> J::State
where
    T: RangeIndex,
    X: Splitting,
    J: Job<T>,
{
    if let Some(len) = T::distance_inclusive(&(start..=end)) {
        return splitting::drive(policy, InclusiveSource { start, len }, job, origin);
    }
    let middle = T::middle(start, end);
    both_nested(
        &Drive::new(job, origin),
        |origin| drive((start, middle), policy, job, origin),
        |origin| drive((middle.after(1), end), policy, job, origin),
    )
}

/// Makes a parallel sequence from a range. `$wide` is a constant: whether the number of integers may be more than a `usize` can count.
/// `$length` returns the number of integers, if it fits a `usize`. If this number does not fit, `$ends` returns the first and the last
/// integer.
macro_rules! sequence_of_range {
    ($sequence:ty, $wide:expr, $length:expr, $ends:expr) => {
        impl<T: RangeIndex> $crate::par::Par for $sequence {
            type Item = T;
            type Policy = $crate::par::Lazy;

            fn policy(&self) -> $crate::par::Lazy {
                $crate::par::Lazy
            }

            fn bound(&self) -> usize {
                $length(self).unwrap_or(usize::MAX)
            }

            fn exact_len(&self) -> Option<usize> {
                $length(self)
            }

            fn drive<X, J>(
                mut self,
                policy: X,
                job: &J,
                origin: $crate::par::ask::Origin<'_>,
            ) -> J::State
            where
                X: $crate::par::Splitting,
                J: $crate::par::job::Job<T>,
            {
                if $wide && $length(&self).is_none() {
                    return $crate::par::sources::wide::drive($ends(&self), policy, job, origin);
                }
                let source = $crate::par::Indexed::source(&mut self);
                $crate::par::splitting::drive(policy, source, job, origin)
            }

            fn flat<J>(
                &mut self,
                job: &J,
                state: &mut J::State,
                scope: $crate::par::limit::Scope<'_>,
            ) where
                J: $crate::par::job::Job<T>,
            {
                if $wide && $length(self).is_none() {
                    let origin = $crate::par::ask::Origin {
                        site: $crate::par::splitting::Site::of(Self::flat::<J> as *const ()),
                        outer: Some(scope),
                    };
                    let policy = $crate::par::Lazy;
                    let all = $crate::par::sources::wide::drive($ends(self), policy, job, origin);
                    job.merge(state, all);
                    return;
                }
                let source = $crate::par::Indexed::source(self);
                $crate::par::splitting::flat(source, job, state, scope);
            }

            #[inline]
            fn whole<J>(&mut self, job: &J) -> J::Output
            where
                J: $crate::par::job::Job<T>,
            {
                if $wide && $length(self).is_none() {
                    let origin = $crate::par::ask::Origin {
                        site: $crate::par::splitting::Site::of(Self::whole::<J> as *const ()),
                        outer: None,
                    };
                    let policy = $crate::par::Lazy;
                    let all = $crate::par::sources::wide::drive($ends(self), policy, job, origin);
                    return job.finish(all);
                }
                let source = $crate::par::Indexed::source(self);
                $crate::par::splitting::whole(source, job)
            }
        }
    };
}
pub(super) use sequence_of_range;
