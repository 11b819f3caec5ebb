//! The search and the sleep of workers without work, and the functions that the protocol of sleeping needs from a pool.

pub(super) mod hooks;
pub(super) mod retry;
pub(super) mod search;
pub(super) mod search_yield;
