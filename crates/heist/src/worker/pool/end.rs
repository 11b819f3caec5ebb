//! Decides whether a closing pool has any work left.

use crate::worker::pool::inner::PoolInner;
use std::sync::atomic::Ordering;

impl PoolInner {
    /// Asks the program for work that is in no deque. Returns false if there is none, or the pool closes.
    pub(in crate::worker) fn ask_hidden(&self) -> bool {
        let hidden = self.settings.hidden.as_ref();
        hidden.is_some_and(|hidden| !self.closing.load(Ordering::Relaxed) && hidden())
    }

    /// Returns the number of times that workers have been active, if no worker was active when this call checked it.
    pub(in crate::worker) fn periods(&self) -> Option<u64> {
        self.workers().map(|worker| worker.activity.periods()).sum()
    }

    /// Returns true if no worker runs or searches (a racing view).
    pub(in crate::worker) fn is_idle(&self) -> bool {
        self.idle.counts().searching == 0 && self.periods().is_some()
    }

    /// Returns true if a closing pool has no work left.
    ///
    /// A thread that finds the pool unfinished may sleep until it is woken: each event that can finish the pool is followed by another
    /// look. A worker that ceases to be active checks afterwards. If several workers cease, the last one sees that none is active (all
    /// these accesses are in the single order of SeqCst); then it leaves, and [wakes](Self::leave) the others. A job in the queue, and
    /// a suspended task that continues, wake a sleeper, which is active then. A worker that has not arrived yet is active when it
    /// arrives, and one that will not arrive wakes all ([`lose`](Self::lose)).
    pub(in crate::worker) fn is_finished(&self) -> bool {
        // A job may go from a worker that is looked at later to one that was looked at before,
        // so this looks twice. If no worker was active in between, none had a job when the queue was empty, and only a worker with a
        // job makes more. A worker that has not arrived yet may bring a job, by its start handler. A suspended task will bring one,
        // because dropping a pool waits for its tasks.
        self.periods().is_some_and(|before| {
            self.injector.is_empty()
                && (self.settings.fixed || self.has_everybody())
                && self.live_tasks() == 0
                && self.periods() == Some(before)
        })
    }
}
