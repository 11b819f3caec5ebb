//! What a strand does at a poll or a join.

pub mod exhaustion;
