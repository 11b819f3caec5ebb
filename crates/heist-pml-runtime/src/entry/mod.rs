//! The functions that compiled code calls.

pub mod internal;
pub mod table;
