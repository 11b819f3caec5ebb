//! The state that the workers of one pool share, the pool's settings and counts, and the start and end of its workers.

pub(super) mod activity;
pub(super) mod binding;
pub(super) mod counters;
pub(super) mod end;
pub(super) mod inner;
pub(super) mod latency;
pub(super) mod queues;
pub(super) mod quiescence;
pub(super) mod settings;
pub(super) mod size;
pub(super) mod thread_start;
pub(super) mod threads;
