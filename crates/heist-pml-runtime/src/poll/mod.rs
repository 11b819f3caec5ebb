//! What a strand does at a poll or a join.

pub mod attend;
pub mod exhaustion;
pub mod join;
pub mod lazy;
