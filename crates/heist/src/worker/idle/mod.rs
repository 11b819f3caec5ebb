//! Workers without work: the pool's side of the protocol of sleeping.

pub(super) mod hooks;
pub(super) mod retry;
pub(super) mod search;
pub(super) mod search_yield;
