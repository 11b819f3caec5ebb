//! The tables that the compiler writes for the runtime.

pub mod description;
pub mod forks;
pub mod frames;
pub mod known;
pub mod places;
pub mod sites;
