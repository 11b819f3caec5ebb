#![doc = include_str!("README.md")]

mod frame;
mod magazine;
mod node;
mod orders;
mod record;
mod roll;

pub use frame::Header;
pub(crate) use frame::{JoinFrame, Payload, Side, discard};
pub(crate) use node::{Depot, FreeLists, Node, free_node};
pub(crate) use record::{JoinRecord, Stolen};
pub(crate) use roll::{Listed, Roll};
