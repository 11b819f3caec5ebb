//! Sources of parallel sequences.

mod bridge;
mod chunks;
mod collections;
mod divide;
mod drain;
mod exact;
mod foreign;
mod inclusive;
mod option;
mod owned;
mod pattern;
mod range;
mod rope;
mod rope_owned;
mod severed;
mod slice;
mod spans;
mod split;
mod text;
mod wide;
mod windows;

pub use bridge::ParIter;
pub use chunks::{ParChunks, ParChunksMut, ParRChunks, ParRChunksMut};
pub use divide::ParDivide;
pub use drain::ParDrain;
pub use exact::{ParChunksExact, ParChunksExactMut, ParRChunksExact, ParRChunksExactMut};
pub use foreign::ParProducer;
pub use inclusive::ParRangeInclusive;
pub use option::ParOption;
pub use owned::ParVec;
pub(crate) use owned::{OwnedIter, OwnedSource};
pub use pattern::ParPattern;
pub use range::{ParRange, RangeIndex};
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
pub use windows::ParWindows;

/// Makes a parallel sequence from a source. The sequence has the default policy, or the policy that `$which` returns, for example the
/// policy of a sequence that it contains.
macro_rules! sequence_of_source {
    ([$($generics:tt)*] $sequence:ty, $item:ty) => {
        $crate::par::sources::sequence_of_source!(
            [$($generics)*] $sequence, $item, $crate::par::Lazy, |_| $crate::par::Lazy
        );
    };
    ([$($generics:tt)*] $sequence:ty, $item:ty, $policy:ty, |$this:tt| $which:expr) => {
        $crate::par::sources::sequence_by!(
            [$($generics)*] $sequence, $item, $policy, |$this| $which,
            bound: $crate::par::Indexed::len,
            exact_len: |this| Some($crate::par::Indexed::len(this)),
            source: |this, _| $crate::par::Indexed::source(this)
        );
    };
}
pub(crate) use sequence_of_source;

/// Makes a parallel sequence from its policy and from the value that `$source` returns when the sequence runs. (Temporaries in
/// `$source` live until the end of the run, so the value may borrow from them.) The sequence has at most `$bound` items. If
/// `$exact_len` is `Some`, the sequence has exactly that number of items.
macro_rules! sequence_by {
    (
        [$($generics:tt)*] $sequence:ty, $item:ty, $policy:ty, |$this:tt| $which:expr, bound: $bound:expr, exact_len: $exact_len:expr,
        source: |$that:ident, $how:tt| $source:expr
    ) => {
        impl<$($generics)*> $crate::par::Par for $sequence {
            type Item = $item;
            type Policy = $policy;

            fn policy(&self) -> $policy {
                let $this = self;
                $which
            }

            fn bound(&self) -> usize {
                let bound: fn(&Self) -> usize = $bound;
                bound(self)
            }

            fn exact_len(&self) -> Option<usize> {
                let exact_len: fn(&Self) -> Option<usize> = $exact_len;
                exact_len(self)
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
                let ($that, $how) = (&mut self, policy);
                let state = $crate::par::splitting::drive(policy, $source, job, origin);
                // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
                drop(self);
                state
            }

            fn flat<J>(
                &mut self,
                job: &J,
                state: &mut J::State,
                scope: $crate::par::limit::Scope<'_>,
            ) where
                J: $crate::par::job::Job<$item>,
            {
                let ($that, $how) = (self, $crate::par::Lazy);
                $crate::par::splitting::flat($source, job, state, scope);
            }

            #[inline]
            fn whole<J>(&mut self, job: &J) -> J::Output
            where
                J: $crate::par::job::Job<$item>,
            {
                let ($that, $how) = (self, $crate::par::Lazy);
                $crate::par::splitting::whole($source, job)
            }
        }
    };
}
pub(crate) use sequence_by;
