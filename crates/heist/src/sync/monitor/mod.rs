//! Monitors: a lock, the state that it protects, and queues of waiters for changes of the state.

mod choice;
mod looks;
mod queue;
mod wait;

pub(crate) use crate::platform::{Guard, Locked, constant};
pub(crate) use choice::{Choice, Turn};
pub(crate) use looks::Looks;
pub(crate) use queue::{Met, Queue, Stage, Waiter};
pub(crate) use wait::{Condition, Wait, ring, serve_all, serve_more};
