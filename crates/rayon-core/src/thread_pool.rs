//! Pools in addition to the global one.

use crate::broadcast::{self, BroadcastContext};
use crate::registry::{Registry, ThreadSpawn, here, standing};
use crate::scope::{self, Scope, ScopeFifo};
use crate::spawn;
use crate::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A pool of workers. The pool's threads end after it was dropped, when all jobs spawned in it have ended; no thread
/// waits for that.
pub struct ThreadPool {
    registry: Arc<Registry>,
}

impl ThreadPool {
    /// A pool as configured.
    ///
    /// # Errors
    /// The errors are those of [`ThreadPoolBuilder::build`].
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

    /// Runs `op` on a worker of this pool, where it is a plain call on one. A worker of another pool serves that one while it
    /// waits: it runs any of its jobs, so a lock that is held across the call can deadlock, as with rayon.
    ///
    /// # Panics
    /// With the panic of `op`.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.registry.in_worker(|_| op())
    }

    /// [`broadcast`](crate::broadcast()) in this pool.
    ///
    /// # Panics
    /// As that.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast::broadcast_in(&self.registry, op)
    }

    /// Number of workers.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        self.registry.num_threads()
    }

    /// The index of the worker of this pool that the current thread is.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.registry.index_here()
    }

    /// Whether the current thread is a worker of this pool and has jobs that it could run itself.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.registry.here().map(|here| here.has_own())
    }

    /// [`join`](crate::join()) in this pool.
    ///
    /// # Panics
    /// As that.
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(oper_a, oper_b))
    }

    /// [`scope`](crate::scope()) in this pool.
    ///
    /// # Panics
    /// As that.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope(op))
    }

    /// [`scope_fifo`](crate::scope_fifo) in this pool.
    ///
    /// # Panics
    /// As that.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope_fifo(op))
    }

    /// [`in_place_scope`](crate::in_place_scope) whose jobs go to this pool.
    ///
    /// # Panics
    /// As that.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        scope::in_place_scope_in(&self.registry, op)
    }

    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo) whose jobs go to this pool.
    ///
    /// # Panics
    /// As that.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        scope::in_place_scope_fifo_in(&self.registry, op)
    }

    /// [`spawn`](crate::spawn()) in this pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn::spawn_in(&self.registry, op);
    }

    /// [`spawn_fifo`](crate::spawn_fifo) in this pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn::spawn_fifo_in(&self.registry, op);
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast) in this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        broadcast::spawn_broadcast_in(&self.registry, op);
    }

    /// Calls [`yield_now`] on a worker of this pool; does nothing elsewhere.
    pub fn yield_now(&self) -> Option<Yield> {
        self.registry
            .here()
            .map(|here| Yield::of(here.run_one(false)))
    }

    /// Calls [`yield_local`] on a worker of this pool; does nothing elsewhere.
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

/// The index of the worker that the current thread is. No other thread of its pool has it, and it is always the same for a
/// thread.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    standing().map(|here| here.index)
}

/// Whether the current thread is a worker and has jobs that it could run itself.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    here().map(|here| here.has_own())
}

/// Runs one job on top of the current one: this worker's own, another worker's, or one from outside. Nothing on a
/// thread that is not a worker.
pub fn yield_now() -> Option<Yield> {
    here().map(|here| Yield::of(here.run_one(false)))
}

/// Runs one of this worker's own jobs on top of the current one. Nothing on a thread that is not a worker.
pub fn yield_local() -> Option<Yield> {
    here().map(|here| Yield::of(here.run_one(true)))
}

/// Result of [`yield_now`] or [`yield_local`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A job was run.
    Executed,
    /// There was none.
    Idle,
}

impl Yield {
    fn of(ran: bool) -> Self {
        if ran { Yield::Executed } else { Yield::Idle }
    }
}
