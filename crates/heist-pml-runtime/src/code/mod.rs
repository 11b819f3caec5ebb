//! The tables that the compiler writes for the runtime.

pub mod forks;
pub mod frames;
pub mod places;
pub mod sites;
