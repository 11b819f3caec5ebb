//! Builds pools in which the current thread is a worker.

use super::Builder;
use crate::pool::BuildError;
use crate::pool::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Builder {
    /// Builds a pool in which the current thread is the first worker, calls `work` with the pool, and ends the pool.
    ///
    /// Tasks that `work` forks run on this thread, as on any worker, and other workers steal from this thread. So the pool starts one
    /// thread fewer, and the program need not send a closure to a worker and wait for it. Use this function in programs whose main thread
    /// has nothing else to do, and for code that must stay on its thread, such as the code of a user interface.
    ///
    /// The current thread runs `work` and the work for which `work` waits. While the current thread waits through Heist, another thread may
    /// take its slot. Before `work` has ended, the current thread takes no other tasks from the pool's queue: with
    /// [`threads(1)`](Self::threads), these tasks run after `work`, or while `work` waits. After `work`, the thread helps with the
    /// remaining jobs of the pool, and the pool ends as if it were dropped. A [broadcast](Pool::broadcast) from another thread also waits
    /// for the end of `work`. This thread does not call the start and exit handlers, and the pool does not [pin](Self::pin) it. If this
    /// thread is the main thread, no thread looks for [deadlocks](crate#deadlocks).
    ///
    /// ```
    /// let here = std::thread::current().id();
    /// let (sum, same) = heist::Pool::builder().threads(4).use_current_thread(|pool| {
    ///     assert_eq!((pool.threads(), heist::current_worker_index()), (4, Some(0)));
    ///     heist::join(|| 20 + 22, || ()); // this thread runs one side at least
    ///     (42, std::thread::current().id() == here)
    /// })?;
    /// assert_eq!((sum, same), (42, true));
    /// assert_eq!(heist::current_worker_index(), None); // it is not a worker any more
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`BuildError::AlreadyWorker`] on a worker of any pool, and otherwise the errors of
    /// [`build`](Self::build).
    ///
    /// # Panics
    /// Rethrows the panic of `work`, after the pool has ended.
    pub fn use_current_thread<R>(mut self, work: impl FnOnce(&Pool) -> R) -> Result<R, BuildError> {
        if crate::worker::local_now().worker().is_some() {
            return Err(BuildError::AlreadyWorker);
        }
        self.settings.adopts = true;
        let pool = self.build()?;
        // The pool's remaining work must not run while this thread unwinds.
        let result = catch_unwind(AssertUnwindSafe(|| work(&pool)));
        drop(pool);
        Ok(result.unwrap_or_else(|payload| resume_unwind(payload)))
    }
}
