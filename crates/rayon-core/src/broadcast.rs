//! Broadcasts: one closure that runs on each worker.

use crate::job::Shared;
use crate::registry::{self, Here, Registry, here};
use crate::unwind;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// The argument of a broadcast's closure. The value describes the worker that runs the closure.
pub struct BroadcastContext<'a> {
    here: Here,
    /// Ties this value to the closure's lifetime and to the worker's thread.
    marker: PhantomData<&'a mut dyn Fn()>,
}

impl BroadcastContext<'_> {
    pub(crate) fn with<R>(work: impl FnOnce(BroadcastContext<'_>) -> R) -> R {
        work(BroadcastContext {
            here: here().expect("broadcasts run on workers"),
            marker: PhantomData,
        })
    }

    /// Returns the worker's index.
    #[inline]
    pub fn index(&self) -> usize {
        self.here.index
    }

    /// Returns the number of workers.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.here.registry().num_threads()
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .field("pool_id", &self.here.registry().id())
            .finish()
    }
}

/// Runs `op` once on each worker of the current pool, and returns the results in the order of the workers' indices. Each
/// worker runs `op` after its own jobs.
///
/// # Panics
/// Rethrows the panic of the worker with the lowest index, after all workers have run `op`. Also
/// panics if [`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread) made this thread
/// a worker and its pool has been dropped.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    registry::with_current(|registry| broadcast_in(registry, op))
}

/// Runs `op` once on each worker of the current pool. No thread waits for the runs. A panic goes to the
/// pool's panic handler; without a handler it ends the process.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    registry::with_current(|registry| spawn_broadcast_in(registry, op));
}

pub(crate) fn broadcast_in<R: Send>(
    registry: &Registry,
    op: impl Fn(BroadcastContext<'_>) -> R + Sync,
) -> Vec<R> {
    let results: Vec<_> = (0..registry.num_threads())
        .map(|_| Mutex::new(None))
        .collect();
    let run = |context: BroadcastContext<'_>| {
        let at = &results[context.index()];
        let result = unwind::halt(|| op(context));
        *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    };
    // The jobs of this scope do not panic: `run` catches panics.
    crate::scope::in_place_scope_in(registry, |scope| {
        scope.spawn_broadcast(|_, context| run(context));
    });
    let mut values = Vec::with_capacity(results.len());
    let mut panic = None;
    for result in results {
        let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
        match result.expect("each worker has run") {
            Ok(value) => values.push(value),
            Err(payload) if panic.is_none() => panic = Some(payload),
            Err(payload) => unwind::or_abort(|| drop(payload)),
        }
    }
    match panic {
        None => values,
        Some(payload) => std::panic::resume_unwind(payload),
    }
}

pub(crate) fn spawn_broadcast_in(
    registry: &Registry,
    op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static,
) {
    let job = Shared::new(
        move || BroadcastContext::with(&op),
        |result| {
            let here = here().expect("broadcasts run on workers");
            here.registry().tell(result);
            here.registry().release();
        },
    );
    registry.hold_for_each_worker();
    // SAFETY: the job owns all its data, so it stays in place until it has run.
    unsafe { registry.core().broadcast(|_| job.job()) };
}
