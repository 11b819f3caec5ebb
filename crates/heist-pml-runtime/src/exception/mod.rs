//! Exceptions: how they are raised and reported.

pub mod raise;
pub mod spots;
pub mod trail;
