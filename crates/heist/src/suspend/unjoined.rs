//! Tasks of `spawn` that the waiting thread runs itself.

use super::in_fiber;
use crate::task::Header;
use crate::worker::{Context, Job, PoolInner, Ticket, leave, local_now, on_track};
use std::fmt;
use std::sync::{Arc, Weak};

/// A task whose type the waiting thread does not know.
pub(crate) trait Start: Send + Sync {
    /// Returns true if no worker has started the task (the answer may be outdated).
    fn is_queued(&self) -> bool;
    /// Runs the work unless another worker has started it.
    fn run(&self) -> bool;
}

/// Runs a task on the current thread, if the thread is a worker of `pool` with room on its stack
/// and no worker has started the task. Calls `run` if the task has left the queue but may not have
/// started yet. Returns true if the task ran.
pub(crate) fn run_inline(
    pool: &Weak<PoolInner>,
    ticket: Ticket,
    run: impl FnOnce() -> bool,
) -> bool {
    // The stack of a fiber or track is small, and made for its own code.
    if in_fiber() || on_track() {
        return false;
    }
    let local = local_now();
    let Some(worker) = local
        .worker_of(pool.as_ptr())
        .filter(|worker| worker.has_room())
    else {
        return false;
    };
    let outer = local.context.replace(Context::ELSEWHERE);
    // The task belongs to no scope, so the thread leaves its scopes while the task runs.
    let entered = worker.enter_none();
    let ran = match worker.pool().injector.take_back(ticket) {
        Some(Job::Run(task)) => {
            // SAFETY: this thread has taken the task from the queue, so no other thread runs it.
            unsafe { Header::execute(task) };
            true
        }
        Some(Job::Claimed { .. }) => unreachable!("a ticket names a task"),
        // A worker has taken the task, and may not have begun it yet.
        None => run(),
    };
    leave(entered);
    local.context.set(outer);
    ran
}

/// A task that no worker had started when a thread began to wait for it.
pub(crate) struct Unjoined {
    task: Arc<dyn Start>,
    pool: Weak<PoolInner>,
    ticket: Ticket,
}

impl fmt::Debug for Unjoined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unjoined")
            .field("ticket", &self.ticket)
            .finish_non_exhaustive()
    }
}

impl Unjoined {
    pub(crate) fn new(task: Arc<dyn Start>, pool: Weak<PoolInner>, ticket: Ticket) -> Self {
        Unjoined { task, pool, ticket }
    }

    /// Runs the task on the current thread, if the thread is a worker of the task's pool, and no
    /// worker has started the task. Returns true if the task ran.
    pub(super) fn run_in_place(&self) -> bool {
        run_inline(&self.pool, self.ticket, || self.task.run())
    }
}
