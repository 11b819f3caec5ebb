//! The number of workers that a pool uses. This number is at most the pool's number of slots.
//!
//! A surplus worker *retires*: between two jobs, with an empty stack, it moves the jobs of its deques to the injector, and parks. A retired
//! worker keeps its slot. A retired worker counts neither as a searcher nor as idle, so the protocol of `park` does not rely on it. A new
//! job wakes another worker, and thieves find no frames in the retired worker's deques. The retired worker wakes up for work that only it
//! can do (fibers that are bound to its thread, and the broadcasts of its slot), and when the pool grows or ends.
//!
//! *Needed workers do not retire*: a worker retires by one atomic step, which compares and raises the count of retired workers. So at least
//! `target` workers are left, and `target` is at least 1. A worker in its start handler counts as retired: it runs no job until the handler
//! returns. If too few workers are left while the handler runs, the retired workers check whether they are needed. *A retiring worker
//! misses no broadcast*: it raises the count before it looks at its inbox, and the broadcaster fills the inbox before it reads the count
//! (all SeqCst).

use crate::trace::EventKind;
use crate::worker::local::WorkerLocal;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// The number of low bits of the word, which contain the number of retired workers. The high bits contain the number of workers that should
/// retire.
const BITS: u32 = 16;
const RETIRED: u32 = (1 << BITS) - 1;

/// The number of workers that should retire, and the number of workers that have retired. Each worker reads this word between two jobs. In
/// a pool that uses all its slots the word is 0, because a test for 0 is cheap.
#[derive(Debug)]
pub(crate) struct Size {
    word: AtomicU32,
    slots: u32,
}

impl Size {
    /// Creates the size of a pool that uses `target` of its `slots` slots.
    pub(super) fn new(target: usize, slots: usize) -> Self {
        Size {
            word: AtomicU32::new(((slots - target) as u32) << BITS),
            slots: slots as u32,
        }
    }

    /// Returns the target number of workers.
    pub(crate) fn target(&self) -> usize {
        // Relaxed: no other data depend on this number.
        self.used(self.word.load(Ordering::Relaxed))
    }

    fn used(&self, word: u32) -> usize {
        (self.slots - (word >> BITS)) as usize
    }

    /// Sets the target number of workers, and returns the previous target.
    fn set(&self, target: usize) -> usize {
        let change = |word| Some((self.slots - target as u32) << BITS | word & RETIRED);
        // SeqCst: the store comes before the caller unparks the workers that may come back.
        let before = self
            .word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change);
        before.map_or(0, |word| self.used(word))
    }

    /// Returns true if more than the target number of workers are in use.
    #[inline]
    pub(in crate::worker) fn has_excess(&self) -> bool {
        // Relaxed: the value is only a hint; `retire` decides. If a worker reads an old value, it looks again after its next job.
        let word = self.word.load(Ordering::Relaxed);
        word != 0 && exceeds(word)
    }

    /// Counts the caller as retired and returns true, if too many workers are in use.
    fn retire(&self) -> bool {
        let change = |word| exceeds(word).then(|| word + 1);
        // SeqCst orders this change against a broadcast: see the head of the file.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// Counts the caller as used again and returns true, if too few workers are in use.
    fn come_back(&self) -> bool {
        let change = |word| lacks(word).then(|| word - 1);
        // SeqCst: this access comes after the caller was unparked, so it sees the number that `set` stored before it unparked the caller.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// Counts the caller as retired until it [comes back](Self::come_back_anyway). Returns true if too few workers may then be in use.
    fn leave(&self) -> bool {
        // SeqCst puts this addition and `retire` into one order: either `retire` counts this worker, or this call returns true.
        let before = self.word.fetch_add(1, Ordering::SeqCst);
        lacks(before + 1)
    }

    /// Counts the caller as used again, even if one worker too many is then in use.
    fn come_back_anyway(&self) {
        // Relaxed: the count only has to be right.
        self.word.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns true if a worker has retired.
    pub(in crate::worker) fn has_retired(&self) -> bool {
        // SeqCst orders this load against `retire`: see the head of the file.
        self.word.load(Ordering::SeqCst) & RETIRED != 0
    }
}

/// Returns true if fewer workers have retired than should retire.
fn exceeds(word: u32) -> bool {
    word & RETIRED < word >> BITS
}

/// Returns true if more workers have retired than should retire.
fn lacks(word: u32) -> bool {
    word & RETIRED > word >> BITS
}

impl PoolInner {
    /// Sets the number of workers to use, from 1 to the number of slots, and returns the previous
    /// number.
    pub(crate) fn resize(&self, target: usize) -> usize {
        self.assert_not_forked();
        let before = self.size.set(target.clamp(1, self.settings.threads));
        if self.size.target() < before {
            // Wakes the sleepers so that they retire now, and not when the next job wakes them.
            self.idle.wake_all(self);
        } else {
            self.wake_retired();
        }
        before
    }

    /// Counts the worker as retired while its start handler runs, because the handler may take long.
    pub(in crate::worker) fn begin_handler(&self) {
        if self.size.leave() {
            self.wake_retired();
        }
    }

    /// Counts the worker as used again, after its start handler has returned. If one worker too many is now in use, some worker retires
    /// after its next job.
    pub(in crate::worker) fn end_handler(&self) {
        self.size.come_back_anyway();
    }

    /// Unparks all workers, so that retired workers check whether they are needed.
    pub(in crate::worker) fn wake_retired(&self) {
        if self.size.has_retired() {
            for worker in self.workers() {
                worker.thread.unpark();
            }
        }
    }
}

impl WorkerThread {
    /// Returns true if the worker should [retire](Self::retire): too many workers are in use, and this worker has no work that only this
    /// worker can do.
    #[inline]
    pub(in crate::worker) fn is_excess(&self) -> bool {
        self.pool().size.has_excess() && !self.is_needed()
    }

    #[cold]
    fn is_needed(&self) -> bool {
        let pool = self.pool();
        self.in_handler.get()
            || self.adopted
            || self.has_bound()
            || pool.inboxes.has(self.slot())
            // SeqCst, because the store of the flag in `tell_to_end` is SeqCst, too.
            || pool.closing.load(Ordering::SeqCst)
    }

    /// Parks the worker until the pool needs it. The worker must be between two jobs, with an empty stack, and must not be a
    /// searcher.
    #[cold]
    #[inline(never)]
    pub(in crate::worker) fn retire(&self, local: &WorkerLocal) {
        let pool = self.pool();
        // The last task of a scope may have ended on this worker. This call reports the end to the scope's owner.
        self.flush();
        self.hand_over(local);
        if !pool.size.retire() {
            return;
        }
        self.answer_waiting();
        self.trace(EventKind::AsideBegins);
        self.activity.end();
        // In a closing pool, the last worker that becomes inactive calls `is_finished`. This worker calls it in its search.
        loop {
            if pool.size.come_back() {
                break;
            }
            if self.is_needed() {
                pool.size.come_back_anyway();
                break;
            }
            thread::park();
            self.answer_waiting();
        }
        self.activity.begin();
        self.trace(EventKind::AsideEnds);
    }

    /// Moves the jobs of this worker's deques to the injector.
    fn hand_over(&self, local: &WorkerLocal) {
        let pool = self.pool();
        while let Some(task) = self.pop_task(local, 0).or_else(|| self.refill(local)) {
            pool.inject_at(self.class(), task);
        }
        // SAFETY: this is the owner's thread; thieves claim tasks only in batches, and the deque is
        // empty.
        unsafe { self.tasks.rewind_empty(0) };
        self.trace_drained();
    }
}
