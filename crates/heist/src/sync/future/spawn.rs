//! Tasks whose value is a future.

use super::Future;
use super::later::Later;
use crate::pool::{Pool, global};
use crate::suspend::Handle;
use crate::worker::{Crew, hot};
use std::panic::Location;

/// Starts an async task on the current pool (on a thread that is no worker: the global one).
///
/// It runs on the same workers as everything else, moves between them, and holds none while it waits.
/// Whatever it awaits may come from anywhere: its wakers can be called from any thread, and belong
/// with any library that uses wakers. Costs one allocation.
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
/// A panic of the task is carried to who asks for its value.
#[track_caller]
pub fn spawn_async<F>(task: F) -> Future<F::Output>
where
    F: std::future::Future + Send + 'static,
    F::Output: Send + Sync + 'static,
{
    let origin = Location::caller();
    match hot().carrier() {
        Some(carrier) => spawn_on(carrier.crew(), task, origin),
        None => spawn_on(global().crew(), task, origin),
    }
}

/// Starts a task on the current pool, as [`spawn_async`] does, that runs a closure.
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
    let origin = Location::caller();
    let task = async move { work() };
    match hot().carrier() {
        Some(carrier) => spawn_on(carrier.crew(), task, origin),
        None => spawn_on(global().crew(), task, origin),
    }
}

pub(crate) fn spawn_on<F>(
    crew: &Crew,
    task: F,
    origin: &'static Location<'static>,
) -> Future<F::Output>
where
    F: std::future::Future + Send + 'static,
    F::Output: Send + Sync + 'static,
{
    // SAFETY: it borrows nothing.
    Future::new(unsafe { Handle::spawn(crew, task, Later::new(), origin) })
}

impl Pool {
    /// [`spawn_async`] on this pool.
    #[track_caller]
    pub fn spawn_async<F>(&self, task: F) -> Future<F::Output>
    where
        F: std::future::Future + Send + 'static,
        F::Output: Send + Sync + 'static,
    {
        spawn_on(self.crew(), task, Location::caller())
    }

    /// [`future`](crate::sync::future) on this pool.
    #[track_caller]
    pub fn future<F, T>(&self, work: F) -> Future<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + Sync + 'static,
    {
        spawn_on(self.crew(), async move { work() }, Location::caller())
    }
}
