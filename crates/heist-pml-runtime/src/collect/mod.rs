//! The collections of the heap, and promotion.

pub mod copy;
pub mod graph;
pub mod limit;
pub mod major;
pub mod minor;
pub mod promote;
pub mod roots;
pub mod samples;
pub mod team;
pub mod verify;
