//! Priorities of work.

use super::{JoinHandle, detach_on, spawn_on};
use crate::pool::{Pool, global, run_in_at};
use crate::worker::{Class, PoolInner, WorkerThread, local_now};
use std::sync::Arc;

/// The priority of a job that is submitted to a pool: it decides which of the waiting jobs a worker begins next.
///
/// When a worker has ended a job and its stack is empty, the worker first takes jobs of the class `Latency`. Next, the worker takes the
/// tasks that the job has left in the worker's own deque. When no such tasks are left, the worker takes waiting work in this order: jobs of
/// the class `Latency` and frames that they have forked, then jobs and frames of `Normal`, then jobs and frames of `Background`. Jobs of
/// one class begin in the order in which they were submitted.
///
/// Forks inherit the class of their job, and thieves prefer forks of higher classes. A few tasks lose their class and
/// count as `Normal`: tasks of a scope that are spawned from another worker, and tasks that overflow from a full deque.
///
/// A running job is not interrupted: a worker in a long computation begins no other job before the computation ends. So
/// if other work keeps all workers busy, a `Latency` job waits until some task ends. Two classes share a pool best if
/// the tasks of the lower class are short.
///
/// **Nothing starves.** If workers have passed over the first job of a class 64 times, that job runs next, even if its
/// class is lower. After 64 `Latency` jobs in a row, a worker runs one task of its own.
///
/// Closures that are submitted without a priority are `Normal`, even from inside a job of another class. Async tasks
/// and fibers have no class: if they are spawned on a worker, they begin as tasks of that worker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// The priority of work that runs when no other work can run.
    Background,
    /// The priority of work that is submitted without a priority.
    #[default]
    Normal,
    /// The priority of work that runs before all other work, as soon as a worker ends its current task.
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

/// A pool that receives jobs of one priority. [`Pool::with_priority`] and [`with_priority`] return a value of this type.
#[derive(Clone, Copy, Debug)]
pub struct WithPriority<'p> {
    /// The pool; `None` means the caller's pool at each submission.
    pool: Option<&'p Pool>,
    class: Class,
}

impl Pool {
    /// Returns a value that submits work to this pool with `priority`.
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

/// Returns a value that submits work with `priority`. Each submission goes to the caller's pool, or to the global
/// pool if the caller is not a worker.
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

    /// Starts a task, like [`Pool::spawn`], with this priority.
    pub fn spawn<F, T>(&self, work: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_on(&self.pool(), self.class, work)
    }

    /// Starts a task without a handle, like [`Pool::spawn_detached`], with this priority.
    pub fn spawn_detached<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        detach_on(&self.pool(), self.class, work);
    }

    /// Runs a closure in the pool, like [`Pool::install`], with this priority. On a worker of the pool, `install` is a plain call: the
    /// closure has the caller's class.
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
