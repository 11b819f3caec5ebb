//! Jobs for which no thread waits.

use crate::job;
use crate::registry::{self, Registry, worker};
use crate::unwind;
use heist::embed::Job;

/// Starts a job in the current pool: the thread's own pool if the thread is a worker, and otherwise the global pool.
/// A worker runs its own jobs newest first. A panic goes to the pool's panic handler; without a handler it ends the
/// process.
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    registry::with_current(|registry| spawn_in(registry, func));
}

/// Starts a job like [`spawn`], but each worker runs its jobs oldest first.
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    registry::with_current(|registry| spawn_fifo_in(registry, func));
}

pub(crate) fn spawn_in(registry: &Registry, func: impl FnOnce() + Send + 'static) {
    let job = detached(registry, func);
    // SAFETY: the job owns all that it needs.
    unsafe { registry.queue(job) };
}

pub(crate) fn spawn_fifo_in(registry: &Registry, func: impl FnOnce() + Send + 'static) {
    let job = detached(registry, func);
    match registry.here() {
        // SAFETY: the job owns all its data, and keeps the pool's queues alive.
        Some(here) => unsafe { worker().push(registry.fifos()[here.index].push(job)) },
        // SAFETY: the ticket's queue lives as long as the job, which keeps the pool alive.
        None => unsafe { registry.core().inject(job) },
    }
}

/// Returns a job that keeps its pool alive.
fn detached(registry: &Registry, func: impl FnOnce() + Send + 'static) -> *mut Job {
    registry.hold();
    job::boxed(move || {
        let here = registry::here().expect("jobs run on workers");
        let registry = here.registry();
        registry.tell(unwind::halt(func));
        registry.release();
    })
}
