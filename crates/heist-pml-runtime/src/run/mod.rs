//! The work of a pool's threads: strands run, wait and end.

pub mod alone;
pub mod drive;
pub mod fault;
pub mod finish;
pub mod program;
pub mod statistics;
pub mod threads;
