//! Exceptions: how they are raised and reported.

pub mod raise;
pub mod trail;
