//! Pools in addition to the global pool.

use crate::broadcast::{self, BroadcastContext};
use crate::registry::{Registry, ThreadSpawn, here, standing};
use crate::scope::{self, Scope, ScopeFifo};
use crate::spawn;
use crate::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A pool of workers. After the pool has been dropped, its threads end when all jobs that were spawned in it have
/// ended. Dropping the pool does not wait for the end of its threads.
pub struct ThreadPool {
    registry: Arc<Registry>,
}

impl ThreadPool {
    /// Builds a pool with the settings of `configuration`.
    ///
    /// # Errors
    /// Returns the errors of [`ThreadPoolBuilder::build`].
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated)]
    pub fn new(configuration: crate::Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.build()
    }

    pub(crate) fn build<S: ThreadSpawn>(
        builder: ThreadPoolBuilder<S>,
    ) -> Result<ThreadPool, ThreadPoolBuildError> {
        Registry::new(builder).map(|registry| ThreadPool { registry })
    }

    /// Runs `op` on a worker of this pool. On a worker of this pool, this is a plain call. If the caller is a worker
    /// of another pool, it runs any jobs of its own pool while it waits. So a lock that the caller holds across the
    /// call can cause a deadlock, as with rayon.
    ///
    /// # Panics
    /// Rethrows the panic of `op`.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.registry.in_worker(|_| op())
    }

    /// Calls [`broadcast`](crate::broadcast()) in this pool.
    ///
    /// # Panics
    /// Panics like [`broadcast`](crate::broadcast()).
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast::broadcast_in(&self.registry, op)
    }

    /// Returns the number of workers.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        self.registry.num_threads()
    }

    /// Returns the index of the current thread, if it is a worker of this pool.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.registry.index_here()
    }

    /// Returns whether the current thread has jobs that it could run itself. Returns `None` if the thread is not a worker of this pool.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.registry.here().map(|here| here.has_own())
    }

    /// Calls [`join`](crate::join()) in this pool.
    ///
    /// # Panics
    /// Panics like [`join`](crate::join()).
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(oper_a, oper_b))
    }

    /// Calls [`scope`](crate::scope()) in this pool.
    ///
    /// # Panics
    /// Panics like [`scope`](crate::scope()).
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope(op))
    }

    /// Calls [`scope_fifo`](crate::scope_fifo) in this pool.
    ///
    /// # Panics
    /// Panics like [`scope_fifo`](crate::scope_fifo).
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope_fifo(op))
    }

    /// Calls [`in_place_scope`](crate::in_place_scope); the jobs go to this pool.
    ///
    /// # Panics
    /// Panics like [`in_place_scope`](crate::in_place_scope).
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        scope::in_place_scope_in(&self.registry, op)
    }

    /// Calls [`in_place_scope_fifo`](crate::in_place_scope_fifo); the jobs go to this pool.
    ///
    /// # Panics
    /// Panics like [`in_place_scope_fifo`](crate::in_place_scope_fifo).
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        scope::in_place_scope_fifo_in(&self.registry, op)
    }

    /// Calls [`spawn`](crate::spawn()) in this pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn::spawn_in(&self.registry, op);
    }

    /// Calls [`spawn_fifo`](crate::spawn_fifo) in this pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn::spawn_fifo_in(&self.registry, op);
    }

    /// Calls [`spawn_broadcast`](crate::spawn_broadcast) in this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        broadcast::spawn_broadcast_in(&self.registry, op);
    }

    /// Calls [`yield_now`] on a worker of this pool; does nothing on another thread.
    pub fn yield_now(&self) -> Option<Yield> {
        self.registry
            .here()
            .map(|here| Yield::of(here.run_one(false)))
    }

    /// Calls [`yield_local`] on a worker of this pool; does nothing on another thread.
    pub fn yield_local(&self) -> Option<Yield> {
        self.registry
            .here()
            .map(|here| Yield::of(here.run_one(true)))
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.registry.release();
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .field("id", &self.registry.id())
            .finish()
    }
}

/// Returns the index of the current thread, if it is a worker. No two threads of a pool have the same index, and a
/// thread's index never changes.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    standing().map(|here| here.index)
}

/// Returns whether the current thread has jobs that it could run itself. Returns `None` if the thread is not a worker.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    here().map(|here| here.has_own())
}

/// Runs one job on top of the current job: a job of this worker, of another worker, or from outside of the
/// pool. Returns `None` on a thread that is not a worker.
pub fn yield_now() -> Option<Yield> {
    here().map(|here| Yield::of(here.run_one(false)))
}

/// Runs one of this worker's own jobs on top of the current job. Returns `None` on a thread that is not a
/// worker.
pub fn yield_local() -> Option<Yield> {
    here().map(|here| Yield::of(here.run_one(true)))
}

/// The result of [`yield_now`] or [`yield_local`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// The worker ran a job.
    Executed,
    /// The worker found no job.
    Idle,
}

impl Yield {
    fn of(ran: bool) -> Self {
        if ran { Yield::Executed } else { Yield::Idle }
    }
}
