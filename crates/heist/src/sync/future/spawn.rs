//! Tasks whose value is a future.

use super::Future;
use super::later::Later;
use crate::fiber::FiberLabel;
use crate::pool::{Pool, with_current_pool};
use crate::suspend::{Fiber, Handle};
use crate::worker::PoolInner;
use std::panic::Location;

/// Starts an async task on the current pool, or on the global pool if the caller is not a worker.
///
/// The task runs on the workers of the pool, moves between them, and occupies no worker while it waits. The task may await the
/// futures of any library, because any thread may call its wakers. The task takes one allocation.
///
/// ```
/// let task = heist::spawn_async(async {
///     let half = heist::spawn_async(async { 21 });
///     2 * *(&half).await
/// });
/// assert_eq!(*task.get(), 42);
/// ```
///
/// # Panics
/// If the task panics, each reader of its value panics.
#[track_caller]
pub fn spawn_async<F>(task: F) -> Future<F::Output>
where
    F: std::future::Future + Send + 'static,
    F::Output: Send + Sync + 'static,
{
    let origin = Location::caller();
    with_current_pool(|pool| spawn_on(pool, task, origin))
}

/// Starts a task that runs a closure on the current pool, and returns the future of its result. The task runs on the same pool as a task of
/// [`spawn_async`].
///
/// ```
/// let answer = heist::sync::future(|| 6 * 7);
/// assert_eq!(*answer.get(), 42);
/// ```
#[track_caller]
pub fn future<F, T>(work: F) -> Future<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + Sync + 'static,
{
    spawn_async(async move { work() })
}

/// Starts a fiber on the current pool. A fiber is a closure with a stack of its own. The fiber frees its worker whenever it waits
/// in a function of Heist. The fiber may resume on another thread, unless the pool's fibers are [pinned](crate::Fibers::pinned).
///
/// A fiber uses the same waiting methods as closures: [`Future::get`], [`Mutex::lock`](crate::sync::Mutex::lock),
/// [`Registration::next`](crate::sync::Registration::next), [`JoinHandle::join`](crate::JoinHandle::join), and the end of a
/// [`finish`](crate::finish). The body of a `finish` may wait as well. Inside of a `join` that the fiber has begun, the fiber's waits block
/// the thread. The worker's slot then goes to another thread, as during the wait of any closure.
///
/// A fiber gets its stack when a worker begins to run it. The pool must have been built with [`Builder::fibers`](crate::Builder::fibers).
/// The documentation of `Builder::fibers` has an example.
///
/// # Panics
/// Panics on a pool without fibers. If no stack is available, or if the closure panics, each reader of the fiber's value panics.
#[track_caller]
pub fn spawn_fiber<F, T>(work: F) -> Future<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + Sync + 'static,
{
    let label = FiberLabel::here(None);
    with_current_pool(|pool| fiber_on(pool, label, work))
}

/// Starts a fiber as [`spawn_fiber`] does, and gives it a name for messages.
#[track_caller]
pub fn spawn_named_fiber<F, T>(name: &str, work: F) -> Future<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + Sync + 'static,
{
    let label = FiberLabel::here(Some(name));
    with_current_pool(|pool| fiber_on(pool, label, work))
}

fn fiber_on<F, T>(pool: &PoolInner, label: FiberLabel, work: F) -> Future<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + Sync + 'static,
{
    pool.assert_has_fibers(&label);
    let fiber = Fiber::new(label, work);
    // SAFETY: the bounds are `'static`, so the task borrows no data that could end before it.
    Future::new(unsafe { Handle::spawn_fiber(pool, fiber, Later::new()) })
}

fn spawn_on<F>(pool: &PoolInner, task: F, origin: &'static Location<'static>) -> Future<F::Output>
where
    F: std::future::Future + Send + 'static,
    F::Output: Send + Sync + 'static,
{
    // SAFETY: the bounds are `'static`, so the task borrows no data that could end before it.
    Future::new(unsafe { Handle::spawn(pool, task, Later::new(), origin) })
}

impl Pool {
    /// Starts an async task on this pool, like [`spawn_async`].
    #[track_caller]
    pub fn spawn_async<F>(&self, task: F) -> Future<F::Output>
    where
        F: std::future::Future + Send + 'static,
        F::Output: Send + Sync + 'static,
    {
        spawn_on(self.inner(), task, Location::caller())
    }

    /// Starts a task that runs a closure on this pool, like [`future`](crate::sync::future).
    #[track_caller]
    pub fn future<F, T>(&self, work: F) -> Future<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + Sync + 'static,
    {
        self.spawn_async(async move { work() })
    }

    /// Starts a fiber on this pool, like [`spawn_fiber`](crate::spawn_fiber).
    #[track_caller]
    pub fn spawn_fiber<F, T>(&self, work: F) -> Future<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + Sync + 'static,
    {
        fiber_on(self.inner(), FiberLabel::here(None), work)
    }

    /// Starts a fiber with a name on this pool, like [`spawn_named_fiber`](crate::spawn_named_fiber).
    #[track_caller]
    pub fn spawn_named_fiber<F, T>(&self, name: &str, work: F) -> Future<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + Sync + 'static,
    {
        fiber_on(self.inner(), FiberLabel::here(Some(name)), work)
    }
}
