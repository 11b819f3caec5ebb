//! What forks and spawns leave behind: frames on the forker's stack, nodes on the heap, and the
//! records through which a forker and its thief speak.

mod frame;
mod node;
mod record;

pub(crate) use frame::{Header, JoinFrame, OnceFrame};
pub(crate) use node::{FreeLists, Node, free_node};
pub(crate) use record::{JoinRecord, Stolen};
