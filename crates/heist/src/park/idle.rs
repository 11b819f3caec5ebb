//! The transitions of workers: a worker sleeps, wakes up, gives its slot away, and gets a slot back.

use super::counts::{Counts, IdleCounts};
use super::lists::IdleLists;
use super::steps;
use crate::platform::shim::{AtomicBool, AtomicU32, Mutex, MutexGuard, Ordering, fence};
use std::sync::PoisonError;

/// Reason to wake a sleeper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A new job, which no thread will run unless a worker wakes or searches.
    Injected,
    /// A worker made frames public. The frames may be gone before a sleeper is awake, so the pool stops these wake-ups after several
    /// useless wake-ups (see the README, "The sentinel").
    Exposed,
}

/// The functions of the pool that the sleep protocol calls.
pub(crate) trait IdleHooks {
    /// Returns true if a job is queued for any worker, or a broadcast waits for the holder of `slot`.
    fn work_waits(&self, slot: Option<u32>) -> bool;
    /// Returns true if any worker has frames or tasks, public or private.
    fn has_frames(&self) -> bool;
    /// Sets every worker's request word to "announced". Returns true if a word had another value before.
    fn announce_request(&self) -> bool;
    /// Sets every worker's request word to a value other than "announced", because no [`heavy_fence`](Self::heavy_fence) follows.
    fn hint_request(&self);
    /// Returns true if [`heavy_fence`](Self::heavy_fence) is available. Without the heavy fence, a push can miss a steal request. Once the
    /// result is true, it stays true.
    fn has_heavy_fence(&self) -> bool;
    /// Makes every running thread execute a fence.
    fn heavy_fence(&self);
    /// Discards an old wake-up of a worker before the worker is added to the lists.
    fn before_sleep(&self, worker: u16);
    /// Returns true if a worker is bound to the CPU of the calling thread, so that the worker and this thread cannot run at the
    /// same time.
    fn is_bound_here(&self, worker: u16) -> bool;
    /// Wakes a worker, which holds `slot` from now on.
    fn wake(&self, worker: u16, slot: Option<u32>);
    /// Starts a worker for `slot` as a searcher. If `unborn` is given, the new worker gets this number. Returns false if the pool has its
    /// maximum number of workers. A worker that cannot be started is [lost](Idle::lose).
    fn start_spare(&self, unborn: Option<u16>, slot: u32) -> bool;
    /// Shortens the pause before the waiter on duty [retries](Idle::retry) the refused starts. Does nothing if no waiter is on duty.
    fn hasten(&self);
}

/// The idle state of one pool.
#[derive(Debug)]
pub(crate) struct Idle {
    pub(super) idle_counts: IdleCounts,
    lists: Mutex<IdleLists>,
    /// Number of slots that are stranded because a thread could not be started.
    pub(super) refused: AtomicU32,
    /// The number of workers that resumed after other workers had taken their slots. The same number of workers must leave their slots at a
    /// task boundary.
    surplus: AtomicU32,
    /// True if a sleeper watches the pool with a timer. In this case, exposures wake no thread.
    sentinel: AtomicBool,
    /// Number of successive wake-ups that were useless, because the woken worker found no work.
    useless: AtomicU32,
    /// True if the last search found forks. After such a search, jobs are likely to fork, too.
    forks: AtomicBool,
}

impl Idle {
    /// Returns the state of a pool of `slots` workers. All workers of the new state are about to start searching.
    pub(crate) fn new(slots: usize) -> Self {
        Idle {
            idle_counts: IdleCounts::of_searchers(slots),
            lists: Mutex::new(IdleLists::new(slots)),
            refused: AtomicU32::new(0),
            surplus: AtomicU32::new(0),
            sentinel: AtomicBool::new(false),
            useless: AtomicU32::new(0),
            forks: AtomicBool::new(false),
        }
    }

    pub(crate) fn lists(&self) -> MutexGuard<'_, IdleLists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the present counts.
    pub(crate) fn counts(&self) -> Counts {
        self.idle_counts.counts()
    }

    // --- Threads that make work visible.

    /// Wakes a worker if new work needs one. The caller must have made the work visible. Returns true if this call woke a thread.
    pub(crate) fn notify(&self, hooks: &impl IdleHooks, reason: Reason) -> bool {
        // This fence pairs with the SeqCst access by which a sleeper counts itself: either the sleeper sees the work, or this thread sees
        // the sleeper in the counts.
        if steps::NOTIFY_FENCE {
            fence(Ordering::SeqCst);
        }
        let counts = self.counts();
        if counts.searching > 0 || counts.idle == 0 {
            if counts.searching == 0 && reason == Reason::Injected && self.has_refused() {
                hooks.hasten();
            }
            return false;
        }
        if reason == Reason::Exposed && self.has_sentinel() {
            return false;
        }
        if reason == Reason::Injected && counts.idle > 1 && self.expects_forks() {
            self.wake_two(hooks);
        } else {
            self.wake_one(hooks);
        }
        true
    }

    /// Turns one idler into a searcher, if there is one.
    pub(super) fn wake_one(&self, hooks: &impl IdleHooks) {
        let mut lists = self.lists();
        if let Some(id) = lists.sleepers.pop() {
            self.idle_counts.idler_to_searcher();
            drop(lists);
            hooks.wake(id, None);
        } else {
            self.fill_slot(lists, hooks);
        }
    }

    /// Wakes one worker. Also wakes a second worker speculatively, so that it is awake when the job forks. The second worker must
    /// be a sleeper other than the sentinel. Both workers are counted as searchers before either worker is woken. So the worker
    /// that takes the job is not the last searcher, and need not announce.
    fn wake_two(&self, hooks: &impl IdleHooks) {
        let mut lists = self.lists();
        let Some(first) = lists.sleepers.pop() else {
            self.fill_slot(lists, hooks);
            return;
        };
        self.idle_counts.idler_to_searcher();
        let watching = usize::from(self.has_sentinel());
        let second = match lists.sleepers.len() > watching {
            true => lists.sleepers.pop(),
            false => None,
        };
        if second.is_some() {
            self.idle_counts.idler_to_searcher();
        }
        drop(lists);
        let Some(second) = second else {
            return hooks.wake(first, None);
        };
        // A worker that is woken on this CPU may take the CPU immediately, and then this thread could
        // not wake the other worker.
        let (first, second) = match hooks.is_bound_here(first) {
            true => (second, first),
            false => (first, second),
        };
        hooks.wake(first, None);
        hooks.wake(second, None);
    }

    /// Makes a spare thread take over a vacant slot, if there is such a slot.
    fn fill_slot(&self, mut lists: MutexGuard<'_, IdleLists>, hooks: &impl IdleHooks) {
        if lists.vacant == 0 {
            return;
        }
        let Some(slot) = lists.free_slot() else {
            return;
        };
        lists.vacant -= 1;
        lists.hold(slot);
        self.idle_counts.idler_to_searcher();
        if let Some(id) = lists.spares.pop() {
            drop(lists);
            hooks.wake(id, Some(slot));
            return;
        }
        let unborn = lists.unborn.pop();
        drop(lists);
        if !hooks.start_spare(unborn, slot) {
            self.strand(&mut self.lists(), slot);
            self.stop_searching(hooks);
        }
    }

    /// Turns every idler into a searcher.
    pub(crate) fn wake_all(&self, hooks: &impl IdleHooks) {
        // This thread wakes each worker that is idle now, once. A worker that lies down again before the loop ends has looked for work, so
        // this thread need not wake it again.
        let (sleepers, vacant) = {
            let mut lists = self.lists();
            let sleepers = std::mem::take(&mut lists.sleepers);
            for _ in &sleepers {
                self.idle_counts.idler_to_searcher();
            }
            (sleepers, lists.vacant)
        };
        for id in sleepers {
            hooks.wake(id, None);
        }
        for _ in 0..vacant {
            self.fill_slot(self.lists(), hooks);
        }
    }

    /// Returns true if the last search that ended found forks. After a search that found forks, the next job is likely to fork, too.
    pub(crate) fn expects_forks(&self) -> bool {
        // Relaxed: the value is only a guess.
        self.forks.load(Ordering::Relaxed)
    }

    // --- A searcher.

    /// Records the result of a search: the searcher found a fork, or found no work after a wake-up.
    pub(crate) fn expect_forks(&self, found: bool) {
        // The load comes first, because in the common case the thread must not write to the cache line.
        if self.expects_forks() != found {
            self.forks.store(found, Ordering::Relaxed);
        }
    }

    pub(crate) fn start_searching(&self) {
        self.idle_counts.add_searcher();
    }

    /// Ends the search of a searcher. Other threads relied on this searcher while it searched. So if it is the last searcher, it
    /// makes sure that the next piece of work wakes a thread.
    pub(crate) fn stop_searching(&self, hooks: &impl IdleHooks) {
        let before = self.idle_counts.remove_searcher();
        let last = before.searching == 1 && before.idle > 0;
        if steps::LAST_SEARCHER && last && self.announce(hooks, None) {
            self.wake_one(hooks);
        }
    }

    /// Makes sure that work that appears from now on wakes a worker. The function sets the request word of every worker, and orders these
    /// stores before the following look for work. Returns true if a worker must be awake. The result is true if work exists already
    /// (including the inbox of `slot`), or if the pool needs a sentinel and has none. Before the call, the caller must have found that no
    /// worker searches and that a slot is idle.
    pub(super) fn announce(&self, hooks: &impl IdleHooks, slot: Option<u32>) -> bool {
        if hooks.work_waits(slot) {
            return true;
        }
        if self.has_sentinel() {
            return false;
        }
        if !hooks.has_heavy_fence() {
            if steps::HINT_REQUEST {
                hooks.hint_request();
            } else {
                hooks.announce_request();
            }
            // The worker that stays awake becomes the sentinel when it has found nothing.
            return steps::SUCCESSOR;
        }
        if steps::TELL_REQUEST && hooks.announce_request() {
            // The owner pushes a frame and then reads its request word, with no fence in between. After this fence, the
            // look below sees the push, or the owner sees the request. For words that were announced before, the
            // earlier announcer executes the fence and looks afterwards.
            if steps::HEAVY_FENCE {
                hooks.heavy_fence();
            }
        } else {
            fence(Ordering::SeqCst);
        }
        steps::LAST_LOOK && (hooks.work_waits(slot) || hooks.has_frames())
    }

    // --- A sleeper.

    /// Turns a searcher into a sleeper. If there is work, returns false, and the worker is a searcher again. If the function returns true,
    /// the worker must sleep until it is woken. The worker may also [`rise`](Self::rise) although no thread has woken it. A sleeper that
    /// `watches` is woken last.
    pub(crate) fn lie_down(
        &self,
        hooks: &impl IdleHooks,
        worker: u16,
        slot: u32,
        watches: bool,
    ) -> bool {
        let last = {
            let mut lists = self.lists();
            // This call comes under the lock, because another thread may wake the worker after the unlock.
            hooks.before_sleep(worker);
            if watches {
                lists.sleepers.insert(0, worker);
            } else {
                lists.sleepers.push(worker);
            }
            self.idle_counts.searcher_to_idler().searching == 1
        };
        let stay_awake = if last {
            self.announce(hooks, Some(slot))
        } else {
            steps::SLEEPER_LOOKS && hooks.work_waits(Some(slot))
        };
        // If `rise` fails, another thread is waking the worker.
        !(stay_awake && self.rise(worker))
    }

    /// Turns a sleeper into a searcher although no thread has woken it. Returns false if the worker is no longer in the lists,
    /// because another thread has just removed it and is waking it.
    pub(crate) fn rise(&self, worker: u16) -> bool {
        let mut lists = self.lists();
        let Some(place) = lists.sleepers.iter().position(|&id| id == worker) else {
            return false;
        };
        lists.sleepers.remove(place);
        self.idle_counts.idler_to_searcher();
        true
    }

    // --- A waiter and its slot.

    /// Gives up the slot of a worker that waits.
    pub(crate) fn vacate(&self, hooks: &impl IdleHooks, slot: u32) {
        {
            let mut lists = self.lists();
            lists.release(slot);
            if self.has_surplus() {
                // This worker gives its slot up in place of a surplus worker, so the slot does not become vacant.
                self.surplus.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            lists.vacant += 1;
            self.idle_counts.add_idler();
        }
        // Work that appears after the last searcher has gone must wake a worker, so the last thread
        // announces.
        let last = self.counts().searching == 0;
        if steps::VACATE_LOOKS && last && self.announce(hooks, None) {
            self.wake_one(hooks);
        }
    }

    /// Ends the wait of a worker: it runs again, whether or not another worker has taken over its slot.
    pub(crate) fn resume(&self, slot: u32) {
        self.take_back(&mut self.lists(), slot);
    }

    /// Lets a worker without a slot run again. The worker runs in its former slot if the slot is still vacant. If another worker has taken
    /// over the slot, both workers run.
    fn take_back(&self, lists: &mut IdleLists, slot: u32) {
        lists.hold(slot);
        if lists.stranded > 0 {
            lists.stranded -= 1;
            self.limit_refused(lists);
        } else if lists.vacant > 0 {
            lists.vacant -= 1;
            self.idle_counts.remove_idler();
        } else {
            // Another worker has this worker's slot. Both workers continue, and some worker gives up its slot at its next task boundary.
            // Relaxed: the value changes only under the lock; a thread that reads it without the lock checks again under the lock.
            self.surplus.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns true if more workers run than there are slots. The answer may be outdated.
    pub(crate) fn has_surplus(&self) -> bool {
        self.surplus.load(Ordering::Relaxed) > 0
    }

    /// Returns true if a slot is stranded, because no worker is available for it.
    pub(crate) fn has_stranded(&self) -> bool {
        self.lists().stranded > 0
    }

    /// Turns a worker into a spare if too many workers run. The worker must have an empty stack and must not be searching. If the
    /// function returns true, the worker must sleep until it is woken.
    pub(crate) fn step_aside(&self, hooks: &impl IdleHooks, worker: u16, slot: u32) -> bool {
        let mut lists = self.lists();
        if !self.has_surplus() {
            return false;
        }
        self.surplus.fetch_sub(1, Ordering::Relaxed);
        lists.release(slot);
        // This call comes under the lock, because another thread may wake the worker after the unlock.
        hooks.before_sleep(worker);
        lists.spares.push(worker);
        true
    }

    /// Turns a spare into a searcher although no thread has woken it. The spare calls this function to end together with the closing pool.
    /// Returns false if the worker is no longer in the lists, because another thread has just removed it and is waking it.
    pub(crate) fn come_back(&self, worker: u16, slot: u32) -> bool {
        let mut lists = self.lists();
        if !lists.leave_spares(worker) {
            return false;
        }
        lists.hold(slot);
        self.idle_counts.add_searcher();
        true
    }

    /// Turns a spare into a searcher because there is work that only this spare can do. The spare continues like a waiter that
    /// [resumes](Self::resume). Returns false if the worker is no longer in the lists, because another thread has just removed it
    /// and is waking it.
    pub(crate) fn recall(&self, worker: u16, slot: u32) -> bool {
        let mut lists = self.lists();
        if !lists.leave_spares(worker) {
            return false;
        }
        if steps::RECALL_COUNTS {
            self.take_back(&mut lists, slot);
        } else {
            lists.hold(slot);
        }
        self.idle_counts.add_searcher();
        true
    }

    /// Moves one of several workers that hold `slot` to a slot that no worker holds. Returns the new slot, or `None` if no worker has
    /// moved.
    pub(crate) fn settle(&self, slot: u32) -> Option<u32> {
        let mut lists = self.lists();
        let free = lists.is_shared(slot).then(|| lists.free_slot())??;
        lists.exchange(slot, free);
        Some(free)
    }

    /// Strands a slot for which no worker is available. The slot does not count as idle until a waiter comes back. If the pool has
    /// a surplus, because a waiter has come back already, the surplus decreases by one instead.
    pub(super) fn strand(&self, lists: &mut IdleLists, slot: u32) {
        lists.release(slot);
        if self.has_surplus() {
            self.surplus.fetch_sub(1, Ordering::Relaxed);
        } else {
            lists.stranded += 1;
        }
    }

    // --- The sentinel.

    pub(crate) fn has_sentinel(&self) -> bool {
        self.sentinel.load(Ordering::SeqCst)
    }

    /// Tries to become the sentinel.
    pub(crate) fn claim_sentinel(&self) -> bool {
        self.sentinel
            .compare_exchange(false, true, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Ends the watch of the sentinel. After this call, the caller either continues as a searcher, or calls [`must_wake`](Self::must_wake).
    pub(crate) fn drop_sentinel(&self) {
        self.useless.store(0, Ordering::Relaxed);
        self.sentinel.store(false, Ordering::SeqCst);
    }

    /// Announces for a sleeper that ceases to be the sentinel. Returns true if there is work now. If the function returns false, work that
    /// appears later wakes a thread.
    pub(crate) fn must_wake(&self, hooks: &impl IdleHooks, slot: u32) -> bool {
        steps::SENTINEL_LOOKS && self.announce(hooks, Some(slot))
    }

    /// Counts a wake-up that found nothing. Returns the number of successive wake-ups that found nothing.
    pub(crate) fn count_useless(&self) -> u32 {
        self.useless.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn forget_useless(&self) {
        // The load comes first, because in the common case the thread must not write to the cache line.
        if self.useless.load(Ordering::Relaxed) != 0 {
            self.useless.store(0, Ordering::Relaxed);
        }
    }
}
