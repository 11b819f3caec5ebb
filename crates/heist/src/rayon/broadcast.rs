//! Closures that run once on each worker, with rayon's names.

use crate::pool::{broadcast_in, with_current_pool};
use crate::worker::PoolInner;
use std::marker::PhantomData;

/// The argument of a closure that [`broadcast`] runs: the worker, and the number of workers.
///
/// ```
/// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let seen = pool.broadcast(|context| (context.index(), context.num_threads()));
/// assert_eq!(seen, [(0, 2), (1, 2)]);
/// # Ok::<(), heist::BuildError>(())
/// ```
#[derive(Debug)]
pub struct BroadcastContext<'a> {
    index: usize,
    threads: usize,
    marker: PhantomData<&'a ()>,
}

impl BroadcastContext<'_> {
    /// Returns the index of the worker that runs the closure.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of workers that run the closure: all workers of the pool.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.threads
    }
}

/// Runs the closure once on each worker of the current pool, and returns the results in the order of the workers. On a
/// thread that is not a worker, the current pool is the [global pool](crate::global).
///
/// ```
/// let squares = heist::rayon::broadcast(|context| context.index() * context.index());
/// assert_eq!(squares.len(), heist::rayon::current_num_threads());
/// ```
///
/// # Panics
/// Panics like [`Pool::broadcast`](crate::Pool::broadcast).
pub fn broadcast<F, R>(work: F) -> Vec<R>
where
    F: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    with_current_pool(|pool| broadcast_with_context(pool, work))
}

/// Runs the closure once on each worker of `pool`.
pub(super) fn broadcast_with_context<F, R>(pool: &PoolInner, work: F) -> Vec<R>
where
    F: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let threads = pool.settings.threads;
    broadcast_in(pool, |index| {
        work(BroadcastContext {
            index,
            threads,
            marker: PhantomData,
        })
    })
}
