//! The functions that compiled code calls.

pub mod internal;
pub mod join;
pub mod table;
pub mod waits;
