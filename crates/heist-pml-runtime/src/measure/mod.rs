//! Measurements of a run: statistics, traces and heap profiles.

pub mod heap_profile;
pub mod stats;
pub mod trace;
