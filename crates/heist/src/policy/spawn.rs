//! Spawn policies. A spawn policy determines whether the spawner or the task runs first, and where the other one waits.

use std::fmt;

/// The policy of spawns into a [`finish`](crate::finish) scope. The policy determines whether the spawner or the task runs first, and where
/// the other one waits for a worker (Sarkar, *COMP 322*, lecture 11; Guo, Barik, Raman and Sarkar, *Work-first and help-first scheduling
/// policies for async-finish task parallelism*, IPDPS 2009).
///
/// | policy | runs first | waits | space | needs |
/// | --- | --- | --- | --- | --- |
/// | help-first | the spawner | the task, in the worker's own deque | a node for each task that has not begun | nothing |
/// | work-first | the task | the rest of the spawner, in the worker's own deque | that of the serial elision, on each worker | fibers |
/// | adaptive | either of the two | the second of the two | the space of work-first, and a few nodes | fibers |
/// | work-sharing | the spawner | the task, in one queue for all workers | a node for each task that has not begun | nothing |
///
/// To choose a policy for a pool, call [`Builder::spawn_policy`](crate::Builder::spawn_policy). To choose a policy for one scope, call
/// [`finish_with`](crate::finish_with).
///
/// *Work-first and adaptive scopes* run their bodies and tasks on stacks of their own, which have the size of the pool's
/// [fibers](crate::Fibers::stack_size). **A spawn in such a scope may return on another thread**. So these scopes need a pool with fibers
/// that are not [pinned](crate::Fibers::pinned), and the contract of [`Builder::fibers`](crate::Builder::fibers) applies to their bodies
/// and tasks. The following scopes are always help-first: scopes that a fiber opens where it can be suspended, in-place scopes and FIFO
/// scopes. A spawn is also help-first in an [isolated](crate::sync::isolated) section, while the thread unwinds, and inside of a
/// [`join`](crate::join) or a poll that the spawner has begun. A spawn outside of the body or task for which the scope's handle was made is
/// help-first, too. If work-first spawns are nested 1024 deep, the next spawn is help-first.
///
/// ```
/// use heist::{Fibers, Pool, policy::SpawnPolicy};
/// use std::sync::Mutex;
/// // SAFETY: nothing below keeps what belongs to a thread across a spawn.
/// let pool = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) }.build()?;
/// let order = Mutex::new(Vec::new());
/// let order = &order;
/// let run = |policy| {
///     pool.finish_with(policy, |f| {
///         f.spawn(|_| order.lock().unwrap().push("task"));
///         order.lock().unwrap().push("body");
///     });
///     std::mem::take(&mut *order.lock().unwrap())
/// };
/// assert_eq!(run(SpawnPolicy::WorkFirst), ["task", "body"]);
/// assert_eq!(run(SpawnPolicy::HelpFirst), ["body", "task"]);
/// # Ok::<(), heist::BuildError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum SpawnPolicy {
    /// The spawner continues. A spawn costs less than under the other policies, and a thief finds many tasks together. Use this policy for
    /// scopes with many tasks.
    #[default]
    HelpFirst,
    /// The task runs immediately, and a thief can steal the rest of the spawner. A single worker runs everything in the order of the serial
    /// elision, and needs no memory for tasks. Use this policy for recursion, and for bodies that spawn endlessly.
    WorkFirst,
    /// Every task goes through one queue under a lock, and workers take the oldest task. The single queue is a bottleneck: the policy is a
    /// baseline for comparisons with the other policies.
    WorkSharing,
    /// Spawns are help-first in two cases: while a steal request is pending, even if the worker has already given some work away, and while
    /// the worker's own deque has fewer than 8 tasks. All other spawns are work-first. The policy follows Guo, Zhao, Cavé and Sarkar,
    /// *SLAW: a scalable locality-aware adaptive work-stealing scheduler* (IPDPS 2010), which also considers the lengths of queues and the
    /// number of steals.
    Adaptive,
}

impl SpawnPolicy {
    /// Returns true if the bodies and tasks of a scope run on stacks of their own.
    pub(crate) fn needs_fibers(self) -> bool {
        matches!(self, SpawnPolicy::WorkFirst | SpawnPolicy::Adaptive)
    }
}

impl fmt::Display for SpawnPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SpawnPolicy::HelpFirst => "help-first",
            SpawnPolicy::WorkFirst => "work-first",
            SpawnPolicy::WorkSharing => "work-sharing",
            SpawnPolicy::Adaptive => "adaptive",
        })
    }
}
