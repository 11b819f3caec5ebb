#![doc = include_str!("README.md")]

mod frame;
mod magazine;
mod node;
mod orders;
mod record;
mod roll;

pub(crate) use frame::{Header, JoinFrame, Payload, discard};
pub(crate) use node::{Depot, FreeLists, Node, free_node};
pub(crate) use record::{JoinRecord, Stolen};
pub(crate) use roll::{Listed, Roll};
