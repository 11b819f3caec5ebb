//! Workers without work: what the protocol of sleeping needs of a pool.

pub(super) mod hooks;
pub(super) mod retry;
pub(super) mod search;
pub(super) mod search_yield;
