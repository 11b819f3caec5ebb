//! The work of a strand at a poll or a join.

pub mod attend;
pub mod collection;
pub mod exhaustion;
pub mod join;
pub mod lazy;
