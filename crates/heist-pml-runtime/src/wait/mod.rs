//! Strands that wait, and what wakes them.

pub mod lazy;
pub mod parts;
pub mod ready;
