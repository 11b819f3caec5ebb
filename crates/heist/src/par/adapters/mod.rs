//! Sequences made from other sequences.
//!
//! Adapters that do not need the positions of items wrap the job. The wrapped job then receives changed chunks (`map`, `filter`,
//! `flat_map`). Adapters that need positions wrap the source (`zip`, `enumerate`). `chain` wraps both the job and the source. Adapters that
//! map each item to one item also wrap both the job and the source.

mod blocks;
mod by_item;
mod by_ref;
mod chain;
mod enumerate;
mod flat_map;
mod in_chunks;
mod interleave;
mod intersperse;
mod kept;
mod make;
mod map_init;
mod map_init_source;
mod part;
mod positions;
mod progress;
mod rev;
mod split;
mod step_by;
mod tuple;
mod until;
mod update;
mod while_some;
mod zip;

pub(crate) use blocks::Blocks;
pub use by_item::{Filter, FilterMap, FlatMapIter, FlattenIter, Inspect, Map, Update};
pub use by_ref::{Cloned, Copied};
pub use chain::Chain;
pub use enumerate::Enumerate;
pub use flat_map::{FlatMap, Flatten};
pub(crate) use in_chunks::{ByFold, ToVec};
pub use in_chunks::{Chunks, FoldChunks, FoldChunksWith, InChunks};
pub use interleave::{Interleave, InterleaveShortest};
pub use intersperse::Intersperse;
pub(crate) use make::Clones;
pub use map_init::{MapInit, MapWith};
pub use part::{Skip, Take};
pub use positions::Positions;
pub use progress::Progress;
pub use rev::Rev;
pub use split::Split;
pub use step_by::StepBy;
pub(crate) use until::until;
pub use while_some::WhileSome;
pub use zip::Zip;

/// Defines the methods of a [`Par`](super::Par) that delegate to another sequence. A method that runs a job wraps the job first, and passes
/// the wrapped job to the other sequence.
macro_rules! by_base {
    ($($field:ident,)? |$job:ident| $wrapped:expr, $exact:expr) => {
        by_base!($exact);

        fn drive<X, J>(self, policy: X, $job: &J, origin: $crate::par::ask::Origin<'_>) -> J::State
        where
            X: $crate::par::Splitting,
            J: Job<Self::Item>,
        {
            let Self { base $(, $field)? } = self;
            let state = {
                $(let $field = &$field;)?
                base.drive(policy, &$wrapped, origin)
            };
            // This drop is explicit: if a destructor panics at the end of a function, compilers leak the value to be returned.
            $(drop($field);)?
            state
        }

        fn flat<J>(&mut self, $job: &J, state: &mut J::State, scope: Scope<'_>)
        where
            J: Job<Self::Item>,
        {
            $(let $field = &self.$field;)?
            self.base.flat(&$wrapped, state, scope);
        }

        #[inline]
        fn whole<J>(&mut self, $job: &J) -> J::Output
        where
            J: Job<Self::Item>,
        {
            $(let $field = &self.$field;)?
            self.base.whole(&$wrapped)
        }
    };
    ($exact:expr) => {
        type Policy = P::Policy;

        fn policy(&self) -> P::Policy {
            self.base.policy()
        }

        fn bound(&self) -> usize {
            self.base.bound()
        }

        fn exact_len(&self) -> Option<usize> {
            let exact: fn(&P) -> Option<usize> = $exact;
            exact(&self.base)
        }
    };
}
use by_base;

/// Defines methods of a [`Job`](super::job::Job) that do nothing but call the same method of the wrapped job.
macro_rules! by_job {
    ($item:ty) => {
        by_job!($item, job);
    };
    ($item:ty, $job:tt) => {
        type State = <J as Job<$item>>::State;
        type Output = <J as Job<$item>>::Output;

        #[inline]
        fn grain(&self) -> usize {
            self.$job.grain()
        }

        fn begin(&self, at: usize) -> Self::State {
            self.$job.begin(at)
        }

        fn merge(&self, left: &mut Self::State, right: Self::State) {
            self.$job.merge(left, right);
        }

        fn absorb(&self, state: &mut Self::State, at: usize, inner: Self::State, scope: Scope<'_>) {
            self.$job.absorb(state, at, inner, scope);
        }

        #[inline]
        fn absorbs_items(&self) -> bool {
            self.$job.absorbs_items()
        }

        #[inline]
        fn is_final(&self, state: &Self::State) -> bool {
            self.$job.is_final(state)
        }

        #[inline]
        fn finish(&self, state: Self::State) -> Self::Output {
            self.$job.finish(state)
        }
    };
}
use by_job;

/// Defines methods of a [`Source`](super::source::Source) that do nothing but call the same method of the wrapped source. The items
/// of the two sources correspond one to one.
macro_rules! by_source {
    ($source:tt) => {
        #[inline]
        fn len(&self) -> usize {
            self.$source.len()
        }

        #[inline]
        fn reach(&self, at_most: usize) -> usize {
            self.$source.reach(at_most)
        }

        #[inline]
        fn reach_back(&self, at_most: usize) -> usize {
            self.$source.reach_back(at_most)
        }

        fn split_point(&self) -> Option<usize> {
            self.$source.split_point()
        }
    };
}
use by_source;
