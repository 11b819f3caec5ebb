//! Monitors: a lock, a state, and queues of waiters for its changes.

mod queue;
mod wait;

pub(crate) use crate::platform::{Guard, Locked, constant};
pub(crate) use queue::Queue;
pub(crate) use wait::{Condition, Wait, serve_all, serve_more};
