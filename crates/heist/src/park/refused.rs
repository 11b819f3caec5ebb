//! Slots whose threads could not be started: see the README, "Refused threads".

use super::idle::{Idle, IdleHooks};
use super::lists::IdleLists;
use super::steps;
use crate::platform::shim::Ordering;

impl Idle {
    /// Records that the thread of `worker`, which was started for `slot`, will not arrive. The number of the worker becomes free again, and
    /// the slot is stranded until a waiter [retries](Self::retry).
    pub(crate) fn lose(&self, hooks: &impl IdleHooks, worker: u16, slot: u32) {
        {
            let mut lists = self.lists();
            lists.unborn.push(worker);
            let before = lists.stranded;
            self.strand(&mut lists, slot);
            // SeqCst, as all accesses to this word: a waiter that takes the duty or gives the duty up reads the word afterwards.
            self.refused
                .fetch_add(lists.stranded - before, Ordering::SeqCst);
        }
        self.stop_searching(hooks);
    }

    /// Returns true if a slot is stranded because a thread could not be started. As long as the result is true, a worker that waits without
    /// a slot repeatedly calls [`retry`](Self::retry).
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::SeqCst) > 0
    }

    /// Limits the number of refused slots to the number of stranded slots. A thread calls this function after a waiter has taken a stranded
    /// slot.
    pub(super) fn limit_refused(&self, lists: &IdleLists) {
        // Only a thread with the lock changes the value.
        if self.refused.load(Ordering::SeqCst) > lists.stranded {
            self.refused.store(lists.stranded, Ordering::SeqCst);
        }
    }

    /// Counts the refused slots as vacant again, and starts a thread if there is work. If the system refuses this thread, too, the
    /// slot counts as refused again when the function returns.
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
        // Work that appears after the last searcher has gone must wake a worker, so this thread
        // announces if no worker searches.
        let last = self.counts().searching == 0;
        if steps::RETRY_LOOKS && last && self.announce(hooks, None) {
            self.wake_one(hooks);
        }
    }
}
