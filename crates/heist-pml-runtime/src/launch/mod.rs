//! The launch of programs, from their settings to their ends.

pub mod program;
pub mod settings;
pub mod start;
mod worker;
