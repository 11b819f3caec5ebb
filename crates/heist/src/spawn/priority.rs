//! Work of different priority.

use super::{JoinHandle, detach_on, spawn_on};
use crate::pool::{Pool, global, run_in_at};
use crate::worker::{Class, PoolInner, WorkerThread, local_now};
use std::sync::Arc;

/// Priority of what is submitted to a pool: which of the jobs that wait a worker begins next.
///
/// A worker that comes to the end of a task, with nothing else on its stack, begins with jobs of the class `Latency`. Then come the tasks
/// that its own last job has left to it. When it has none, it takes what waits in this order: jobs of the class `Latency`, and frames that
/// these have forked; then those of `Normal`; then those of `Background`. Jobs of one class begin in the order in which they were
/// submitted.
///
/// Forks inherit the class of their job: thieves prefer them likewise. A few get lost on the way: tasks of a scope that are spawned
/// from another worker, and those of a full deque, count as `Normal`.
///
/// A job that runs is not interrupted, and a worker in the middle of a long computation comes to nothing else before that ends. So
/// a `Latency` job beside work that keeps all workers busy waits for the end of one task, and two classes share a pool best
/// if the tasks of the lower one are short.
///
/// **Nothing starves.** A job at the head of its class that 64 looks at the queue have passed over goes next, whatever its class; and a
/// worker that has run 64 `Latency` jobs in a row runs one task of its own.
///
/// Closures that are submitted otherwise are `Normal`, also from inside of a job of another class. Async tasks and fibers have no class of
/// their own: those that are spawned on a worker begin there, as tasks of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// Runs when nothing else can.
    Background,
    /// The priority of work that is submitted without one.
    #[default]
    Normal,
    /// Runs before everything else, at the next end of a task.
    Latency,
}

impl Priority {
    fn class(self) -> Class {
        match self {
            Priority::Latency => Class::Latency,
            Priority::Normal => Class::Normal,
            Priority::Background => Class::Background,
        }
    }
}

/// A pool to which work of one priority is submitted. Made by [`Pool::with_priority`] and [`with_priority`].
#[derive(Clone, Copy, Debug)]
pub struct WithPriority<'p> {
    /// If none, the pool of the caller at each submission.
    pool: Option<&'p Pool>,
    class: Class,
}

impl Pool {
    /// This pool, for submitting work of that priority.
    ///
    /// ```
    /// use heist::Priority;
    /// let pool = heist::Pool::new(1)?;
    /// let background = pool.with_priority(Priority::Background);
    /// let reports: Vec<_> = (0..100_u64).map(|i| background.spawn(move || (0..i).sum::<u64>())).collect();
    /// // A request that does not wait for the reports.
    /// let answer = pool.with_priority(Priority::Latency).install(|| 6 * 7);
    /// assert_eq!(answer, 42);
    /// assert_eq!(reports.into_iter().map(|report| report.join().unwrap()).sum::<u64>(), 161_700);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    #[must_use]
    pub fn with_priority(&self, priority: Priority) -> WithPriority<'_> {
        WithPriority {
            pool: Some(self),
            class: priority.class(),
        }
    }
}

/// The pool of the caller at each submission, or the global one if the caller is not a worker, for submitting work of that priority.
///
/// ```
/// use heist::{Priority, with_priority};
/// let cleaned = with_priority(Priority::Background).spawn(|| "cleaned");
/// assert_eq!(cleaned.join().unwrap(), "cleaned");
/// ```
#[must_use]
pub fn with_priority(priority: Priority) -> WithPriority<'static> {
    WithPriority {
        pool: None,
        class: priority.class(),
    }
}

impl WithPriority<'_> {
    fn pool(&self) -> Arc<PoolInner> {
        if let Some(pool) = self.pool {
            return Arc::clone(pool.inner());
        }
        let here = local_now().worker().and_then(WorkerThread::pool_arc);
        here.unwrap_or_else(|| Arc::clone(global().inner()))
    }

    /// As [`Pool::spawn`], with this priority.
    pub fn spawn<F, T>(&self, work: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_on(&self.pool(), self.class, work)
    }

    /// As [`Pool::spawn_detached`], with this priority.
    pub fn spawn_detached<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        detach_on(&self.pool(), self.class, work);
    }

    /// As [`Pool::install`], with this priority. On a worker of the pool it calls the closure, which keeps the caller's class.
    ///
    /// # Panics
    /// Rethrows the closure's panic.
    pub fn install<F, R>(&self, work: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        let pool = self.pool();
        if local_now().worker_of(Arc::as_ptr(&pool)).is_some() {
            return work();
        }
        run_in_at(&pool, self.class, |_| work())
    }
}
