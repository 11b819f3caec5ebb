//! Waiting for a stolen frame, a scope or an event, and yielding.

pub(super) mod join;
pub(super) mod steal_back;
pub(super) mod turn;
