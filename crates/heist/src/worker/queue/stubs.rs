//! Stubs: entries in a deque or in the injector whose tasks were claimed out of turn.
//!
//! The worker that takes a stub from a queue drops the stub. But in a queue at which no worker looks, stubs would accumulate. So the pool
//! records the addresses of all stubs, and removes the stubs from a queue when they may be half of its entries.

use crate::task::Header;
use crate::worker::local::{WorkerLocal, local};
use crate::worker::pool::inner::PoolInner;
use crate::worker::queue::injector::Injector;
use crate::worker::queue::job::Job;
use crate::worker::thread::{Context, WorkerThread};
use crate::worker::wait::join::pop_above;
use heist_deque::split::{SplitDeque, Words};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of stubs up to which a pool does not remove stubs from its queues.
const FEW: usize = 64;

/// The stubs of a pool.
#[derive(Debug, Default)]
pub(crate) struct Stubs {
    by_address: Mutex<HashSet<usize>>,
    /// Number of stubs. Threads change it only under the lock.
    len: AtomicUsize,
    /// Number of stubs that were made since the last search of the injector for stubs. Threads change it only under the lock.
    fresh: AtomicUsize,
}

impl Stubs {
    fn by_address(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of stubs. The answer may be outdated.
    fn len(&self) -> usize {
        // Relaxed: the value is only a hint.
        self.len.load(Ordering::Relaxed)
    }

    fn count(&self, stubs: &HashSet<usize>) {
        self.len.store(stubs.len(), Ordering::Relaxed);
    }

    /// Calls `claim`, which returns true if it obtains the entry's task. In that case, turns the entry into a stub and returns true.
    pub(crate) fn claim(&self, entry: *mut Header, claim: impl FnOnce() -> bool) -> bool {
        // The lock is taken before the claim, so that a thread that sees the entry as a stub also finds it in
        // this list.
        let mut stubs = self.by_address();
        let claimed = claim();
        if claimed {
            stubs.insert(entry.addr());
            self.count(&stubs);
            self.fresh.fetch_add(1, Ordering::Relaxed);
        }
        claimed
    }

    /// Removes a stub from the list. The caller has taken the stub from its queue, and drops it afterwards.
    pub(crate) fn forget(&self, entry: *mut Header) {
        let mut stubs = self.by_address();
        stubs.remove(&entry.addr());
        self.count(&stubs);
    }

    /// Takes all stubs out of the injector and drops them, if half of the injector's entries may be stubs. The amortised cost is O(1) for
    /// each stub.
    pub(crate) fn sweep(&self, injector: &Injector, drop_entry: unsafe fn(*mut Header)) {
        // Relaxed: the values are only hints; the lock decides.
        let many = FEW.max(injector.len() / 2);
        if self.fresh.load(Ordering::Relaxed) < many {
            return;
        }
        let mut stubs = self.by_address();
        self.fresh.store(0, Ordering::Relaxed);
        let found = injector.take_all(|header| stubs.remove(&header.addr()));
        self.count(&stubs);
        drop(stubs);
        drop_all(found, drop_entry);
    }
}

fn drop_all(entries: Vec<*mut Header>, drop_entry: unsafe fn(*mut Header)) {
    for entry in entries {
        // SAFETY: the stub has left its queue, and has been removed from the list of stubs under the
        // lock. So no other thread has it.
        unsafe { drop_entry(entry) };
    }
}

impl WorkerThread {
    /// Returns true if half of the thread's stack is left. If the code does not run on the thread's stack, returns true only in a pool
    /// without fibers: in such a pool the program itself has switched stacks.
    pub(crate) fn has_room(&self) -> bool {
        let local = 0_u8;
        let here = std::hint::black_box(&raw const local).addr();
        match &self.stack {
            Some(stack) if stack.contains(&here) => here - stack.start >= stack.len() / 2,
            _ => self.pool().settings.fibers.is_none(),
        }
    }

    /// Runs a job on the current stack, on top of the code that waits for this job.
    pub(crate) fn run_on_top(&self, job: Job) {
        if self.wait_policy.keeps_slots() {
            self.run_stranger(job);
        } else {
            self.run(job, local().context.get() == Context::BASE);
        }
    }

    /// Pops an entry if it is the newest entry of one of the worker's own deques. Call this function on the worker's own thread.
    pub(crate) fn pop_if_newest(&self, entry: *mut Header) -> bool {
        let local = local();
        let shared = &local.shared;
        // While a scope waits on this stack, the tasks in the task deque belong to the scope.
        let tasks =
            local.context.get() == Context::BASE && pop_newest(&shared.tasks, &self.tasks, entry);
        tasks || pop_newest(&shared.ready, &self.ready, entry)
    }

    /// Takes all stubs out of the worker's own deques, if half of the entries in these deques may be stubs. The worker's own thread must
    /// call this function before it pushes a task. The amortised cost is O(1) for each push.
    #[inline]
    pub(in crate::worker) fn sweep(&self, local: &WorkerLocal) {
        let pool = self.pool();
        if pool.stubs.len() >= FEW {
            self.sweep_now(local, pool);
        }
    }

    #[cold]
    #[inline(never)]
    fn sweep_now(&self, local: &WorkerLocal, pool: &PoolInner) {
        let pushes = self.turns.pushes.get() + 1;
        self.turns.pushes.set(pushes);
        let length = |deque: &SplitDeque<Header>| deque.height().saturating_sub(deque.head());
        let many = (length(&self.tasks) + length(&self.ready)) / 2;
        if pushes < many.max(FEW as u32) {
            return;
        }
        self.turns.pushes.set(0);
        let mut found = Vec::new();
        let mut kept = Vec::new();
        let mut stubs = pool.stubs.by_address();
        let mut sweep = |words: &Words<Header>, deque: &SplitDeque<Header>| {
            while let Some(entry) = pop_above(words, deque, 0) {
                match stubs.remove(&entry.addr()) {
                    true => found.push(entry),
                    false => kept.push(entry),
                }
            }
            // SAFETY: this is the owner's thread. The deque is empty, and thieves claim from it only in batches. The deque has room in the
            // cells of the removed entries.
            unsafe {
                deque.rewind_empty(0);
                while let Some(entry) = kept.pop() {
                    words.push(entry);
                }
            }
        };
        sweep(&local.shared.ready, &self.ready);
        if local.context.get() == Context::BASE {
            sweep(&local.shared.tasks, &self.tasks);
        }
        pool.stubs.count(&stubs);
        drop(stubs);
        drop_all(found, pool.settings.hooks.drop_entry);
        // Requests are answered after every push, because a thief that has gone to sleep may rely on the
        // answer.
        if local.shared.is_requested() {
            self.answer_request(local);
        }
    }
}

/// Pops `entry` if it is the newest entry of the deque. The deque belongs to this worker, and its words are `words`.
fn pop_newest(words: &Words<Header>, deque: &SplitDeque<Header>, entry: *mut Header) -> bool {
    // SAFETY: the words belong to the current thread, which owns the deque.
    let newest = unsafe { deque.newest() };
    newest == Some(entry) && pop_above(words, deque, 0) == Some(entry)
}
