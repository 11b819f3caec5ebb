//! What can be asked of a parallel sequence.

mod accumulate;
mod best;
mod build;
mod count;
mod fill;
mod filled;
mod find;
mod find_last;
mod fold;
mod for_each;
mod gather;
mod group;
mod histogram;
mod monoid;
mod partition;
mod scan;
mod total;
mod try_fold;

pub(crate) use accumulate::Accumulate;
pub(crate) use best::Best;
pub(crate) use build::Build;
pub(crate) use count::Count;
pub(crate) use fill::Fill;
pub(crate) use filled::Room;
pub(crate) use find::Find;
pub(crate) use find_last::FindLast;
pub(crate) use fold::{Fold, flat_leaf_of, leaf_of, leaf_of_items};
pub(crate) use for_each::ForEach;
pub(crate) use gather::{Gather, GatherJoined};
pub(crate) use group::GroupBy;
pub(crate) use histogram::Histogram;
pub(crate) use monoid::{Multiplying, Summing, sums_in_any_shape};
pub(crate) use partition::{partition, unzip};
pub(crate) use scan::scan;
pub(crate) use total::Total;
pub(crate) use try_fold::TryFold;
