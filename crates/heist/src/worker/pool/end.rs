//! Decides whether a closing pool has any work left.

use crate::worker::pool::inner::PoolInner;
use crate::worker::pool::settings::Idle;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

impl PoolInner {
    /// Asks the program whether it has work that is in no deque of the pool. Returns false if it has no such work, if the pool closes, or
    /// if the program's function panics.
    pub(in crate::worker) fn ask_hidden(&self, idle: Idle) -> bool {
        let Some(hidden) = &self.settings.hidden else {
            return false;
        };
        if self.closing.load(Ordering::Relaxed) {
            return false;
        }
        catch_unwind(AssertUnwindSafe(|| hidden(idle))).unwrap_or_else(|payload| {
            self.handle_panic(payload);
            false
        })
    }

    /// Returns the number of active periods of all workers together, or `None` if this call found an active worker.
    pub(in crate::worker) fn periods(&self) -> Option<u64> {
        self.workers().map(|worker| worker.activity.periods()).sum()
    }

    /// Returns true if no worker runs or searches. The answer may be outdated.
    pub(in crate::worker) fn is_idle(&self) -> bool {
        self.idle.counts().searching == 0 && self.periods().is_some()
    }

    /// Returns true if a closing pool has no work left.
    ///
    /// If this function returns false, the caller may sleep until it is woken, because after each event that can finish the pool, some
    /// thread calls this function again. A worker calls this function after it has become inactive. If several workers become inactive, the
    /// last of them sees that no worker is active (all these accesses are in the single order of SeqCst). This worker then leaves, and
    /// [wakes](Self::leave) the other workers. A job in the queue, or a suspended task that continues, wakes a sleeper, and the sleeper
    /// becomes active. A worker that has not arrived yet is active when it arrives. If a worker will not arrive, [`lose`](Self::lose) wakes
    /// all workers.
    pub(in crate::worker) fn is_finished(&self) -> bool {
        // A job may move from a worker that this loop has not reached to a worker that the loop has passed, so this function looks at all
        // workers twice. If no worker was active between the two looks, no worker had a job when the queue was empty, and only a worker
        // with a job makes further jobs. The start handler of a worker that has not arrived yet may bring a job, and each suspended task
        // will be queued again, so both keep the pool from ending.
        self.periods().is_some_and(|before| {
            self.injector.is_empty()
                && (self.settings.wait_policy.has_late_threads() || self.has_everybody())
                && self.live_tasks() == 0
                && self.periods() == Some(before)
        })
    }
}
