//! The collections of the heap, and promotion.

pub mod collector;
pub mod copy;
pub mod graph;
pub mod promote;
pub mod samples;
pub mod team;
pub mod verify;
