//! Where parallel sequences come from.

mod bridge;
mod chunks;
mod collections;
mod divide;
mod drain;
mod inclusive;
mod option;
mod owned;
mod pattern;
mod range;
mod rchunks;
mod rope;
mod rope_owned;
mod severed;
mod slice;
mod spans;
mod split;
mod text;

pub use bridge::ParIter;
pub use chunks::{ParChunks, ParChunksMut, ParWindows};
pub use divide::ParDivide;
pub use drain::ParDrain;
pub use inclusive::ParRangeInclusive;
pub use option::ParOption;
pub use owned::ParVec;
pub(crate) use owned::{OwnedIter, OwnedSource};
pub use pattern::ParPattern;
pub use range::{ParRange, RangeIndex};
pub use rchunks::{
    ParChunksExact, ParChunksExactMut, ParRChunks, ParRChunksExact, ParRChunksExactMut,
    ParRChunksMut,
};
pub use rope::ParRope;
pub use rope_owned::ParRopeOwned;
pub use severed::{ParChunkByMut, ParSplitInclusiveMut, ParSplitMut};
pub use slice::{ParMut, ParRef};
pub use split::{ParChunkBy, ParSplit, ParSplitInclusive};
pub use text::{
    ParCharIndices, ParChars, ParEncodeUtf16, ParLines, ParMatchIndices, ParMatches,
    ParSplitAsciiWhitespace, ParSplitWhitespace, ParStrSplit, ParStrSplitInclusive,
    ParStrSplitTerminator,
};

/// Makes a sequence of a source: it is driven as it is, under the default policy, or that of a sequence within it.
macro_rules! sequence_of_source {
    ([$($generics:tt)*] $sequence:ty, $item:ty $(where $($bounds:tt)*)?) => {
        $crate::par::sources::sequence_of_source!(
            [$($generics)*] $sequence, $item, $crate::par::Lazy, |_| $crate::par::Lazy $(, where $($bounds)*)?
        );
    };
    ([$($generics:tt)*] $sequence:ty, $item:ty, $policy:ty, |$this:tt| $which:expr $(, where $($bounds:tt)*)?) => {
        impl<$($generics)*> $crate::par::Par for $sequence
        $(where $($bounds)*)?
        {
            type Item = $item;
            type Policy = $policy;

            fn policy(&self) -> $policy {
                let $this = self;
                $which
            }

            fn bound(&self) -> usize {
                $crate::par::Indexed::len(self)
            }

            fn exact_len(&self) -> Option<usize> {
                Some($crate::par::Indexed::len(self))
            }

            #[allow(clippy::drop_non_drop, reason = "some sequences have destructors")]
            fn drive<X, J>(
                mut self,
                policy: X,
                job: &J,
                origin: $crate::par::ask::Origin<'_>,
            ) -> J::State
            where
                X: $crate::par::Splitting,
                J: $crate::par::job::Job<$item>,
            {
                let source = $crate::par::Indexed::source(&mut self);
                let state = $crate::par::splitting::drive(policy, source, job, origin);
                // Before the end: if a destructor panics there, compilers forget what is about to be given back.
                drop(self);
                state
            }

            fn flat<J>(
                mut self,
                job: &J,
                state: &mut J::State,
                scope: $crate::par::limit::Scope<'_>,
            ) where
                J: $crate::par::job::Job<$item>,
            {
                let source = $crate::par::Indexed::source(&mut self);
                $crate::par::splitting::flat(source, job, state, scope);
            }

            #[inline]
            fn whole<J>(&mut self, job: &J) -> J::Output
            where
                J: $crate::par::job::Job<$item>,
            {
                let source = $crate::par::Indexed::source(self);
                $crate::par::splitting::whole(source, job)
            }
        }
    };
}
pub(crate) use sequence_of_source;
