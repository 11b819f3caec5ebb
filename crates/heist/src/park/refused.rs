//! Slots whose threads could not be started: see the README, "No thread to be had".

use super::idle::{Idle, IdleHooks};
use super::lists::IdleLists;
use super::steps;
use crate::platform::shim::Ordering;

impl Idle {
    /// The worker that was started for `slot` will not come. Its place can be tried again, and the slot is stranded until
    /// a waiter [does](Self::retry).
    pub(crate) fn lose(&self, hooks: &impl IdleHooks, worker: u16, slot: u32) {
        {
            let mut lists = self.lists();
            lists.unborn.push(worker);
            let before = lists.stranded;
            self.strand(&mut lists, slot);
            // SeqCst, as all accesses: a waiter that finds no other one on duty, or gives the duty up, reads it after
            // that.
            self.refused
                .fetch_add(lists.stranded - before, Ordering::SeqCst);
        }
        self.stop_searching(hooks);
    }

    /// Whether a slot is stranded because a thread could not be started. From then on a worker that waits without a slot
    /// calls [`retry`](Self::retry) now and then.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::SeqCst) > 0
    }

    /// A stranded slot was taken back, so no more slots can be refused than remain stranded.
    pub(super) fn limit_refused(&self, lists: &IdleLists) {
        // Changed under the lock only.
        if self.refused.load(Ordering::SeqCst) > lists.stranded {
            self.refused.store(lists.stranded, Ordering::SeqCst);
        }
    }

    /// Counts the refused slots as vacant again, and has a thread started if there is work. If that cannot be started
    /// either its slot is refused again when this returns.
    pub(crate) fn retry(&self, hooks: &impl IdleHooks) {
        {
            let mut lists = self.lists();
            let refused = self.refused.swap(0, Ordering::SeqCst);
            lists.stranded -= refused;
            lists.vacant += refused;
            for _ in 0..refused {
                self.idle_counts.add_idler();
            }
        }
        // As when a waiter gives its slot away: from here on, work that appears wakes a worker.
        let last = self.counts().searching == 0;
        if steps::RETRY_LOOKS && last && self.announce(hooks, None) {
            self.wake_one(hooks);
        }
    }
}
