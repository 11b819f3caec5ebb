//! The number of workers that a pool uses, which is at most its number of slots.
//!
//! A surplus worker *retires*: between two jobs, with an empty stack, it moves the jobs of its deques to the pool's queue and parks,
//! while it keeps its slot. It is neither a searcher nor idle, so the protocol of `park` does not count on it: a job wakes another
//! worker, and a request for frames finds none here. It wakes up for work that it alone can do (fibers that are bound to its thread,
//! and the broadcasts of its slot), and when the pool grows or ends.
//!
//! *No worker that is needed retires*: the count of those that have is taken in one step with the comparison, so `target` workers are
//! left, which is 1 at least. A worker in its start handler counts among those that have: it runs no job until the handler returns. If it
//! is one of the last, those that have retired look whether they are needed. *No broadcast is missed*: the worker counts itself before it
//! looks at its inbox, and the broadcaster fills the inbox before it reads the count (all SeqCst).

use crate::trace::EventKind;
use crate::worker::local::WorkerLocal;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Bits of the number of retired workers, below the number of workers that should retire.
const BITS: u32 = 16;
const RETIRED: u32 = (1 << BITS) - 1;

/// The number of workers that should retire, and of those that have. The word is 0 in a pool that uses all its slots, because each worker
/// reads it between two jobs.
#[derive(Debug)]
pub(crate) struct Size {
    word: AtomicU32,
    slots: u32,
}

impl Size {
    /// The number of slots that should be used.
    pub(super) fn new(target: usize, slots: usize) -> Self {
        Size {
            word: AtomicU32::new(((slots - target) as u32) << BITS),
            slots: slots as u32,
        }
    }

    /// The target number of workers.
    pub(crate) fn target(&self) -> usize {
        // Relaxed: nothing else is read by it.
        self.used(self.word.load(Ordering::Relaxed))
    }

    fn used(&self, word: u32) -> usize {
        (self.slots - (word >> BITS)) as usize
    }

    /// Sets the target number of workers. Returns the number before.
    fn set(&self, target: usize) -> usize {
        let change = |word| Some((self.slots - target as u32) << BITS | word & RETIRED);
        // SeqCst: before the caller unparks those that may come back.
        let before = self
            .word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change);
        before.map_or(0, |word| self.used(word))
    }

    /// Whether more workers are used than the target.
    #[inline]
    pub(in crate::worker) fn has_excess(&self) -> bool {
        // Relaxed: a hint; `retire` decides. A worker that misses it looks again after its next job.
        let word = self.word.load(Ordering::Relaxed);
        word != 0 && exceeds(word)
    }

    /// Retires the caller, if there is one worker too many.
    fn retire(&self) -> bool {
        let change = |word| exceeds(word).then(|| word + 1);
        // SeqCst: against a broadcast. See the head of the file.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// Uses the caller again, if there are too few workers.
    fn come_back(&self) -> bool {
        let change = |word| lacks(word).then(|| word - 1);
        // SeqCst: as in `set`.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// The caller is not used until it [comes back](Self::come_back_anyway), though there may be too few then: if so, true.
    fn leave(&self) -> bool {
        // SeqCst: one order with `retire`. Either that counts this worker, or this finds that it may have to come back.
        let before = self.word.fetch_add(1, Ordering::SeqCst);
        lacks(before + 1)
    }

    /// The caller is used again, though it may be one too many.
    fn come_back_anyway(&self) {
        // Relaxed: the count only has to be right.
        self.word.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a worker has retired.
    pub(in crate::worker) fn has_retired(&self) -> bool {
        // SeqCst: as in `retire`.
        self.word.load(Ordering::SeqCst) & RETIRED != 0
    }
}

/// Whether fewer workers are retired than are to be.
fn exceeds(word: u32) -> bool {
    word & RETIRED < word >> BITS
}

/// Whether more workers are retired than are to be.
fn lacks(word: u32) -> bool {
    word & RETIRED > word >> BITS
}

impl PoolInner {
    /// Sets the number of workers to use, 1 to the number of slots. Returns the number before.
    pub(crate) fn resize(&self, target: usize) -> usize {
        self.assert_not_forked();
        let before = self.size.set(target.clamp(1, self.settings.threads));
        if self.size.target() < before {
            // Those that sleep retire now, and not when the next job wakes them.
            self.idle.wake_all(self);
        } else {
            self.wake_retired();
        }
        before
    }

    /// The worker is about to call its start handler, which may take its time: the pool has to do without it.
    pub(in crate::worker) fn begin_handler(&self) {
        if self.size.leave() {
            self.wake_retired();
        }
    }

    /// The handler has returned. If the worker is one too many now, some worker retires after its next job.
    pub(in crate::worker) fn end_handler(&self) {
        self.size.come_back_anyway();
    }

    /// Has the workers that have retired look whether they are needed.
    pub(in crate::worker) fn wake_retired(&self) {
        if self.size.has_retired() {
            for worker in self.workers() {
                worker.thread.unpark();
            }
        }
    }
}

impl WorkerThread {
    /// Whether the worker should [retire](Self::retire): there is one too many, and it has no work that only it can do.
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
            // SeqCst: as where it is set.
            || pool.closing.load(Ordering::SeqCst)
    }

    /// Rests until the pool needs it. Called between two jobs, with an empty stack, and not as a searcher.
    #[cold]
    #[inline(never)]
    pub(in crate::worker) fn retire(&self, local: &WorkerLocal) {
        let pool = self.pool();
        // The last task of a scope may have ended here: its owner hears of it.
        self.flush();
        self.hand_over(local);
        if !pool.size.retire() {
            return;
        }
        self.attend_waiting();
        self.trace(EventKind::AsideBegins);
        self.activity.end();
        // Of the workers that cease to be active in a closing pool, the last looks: see `is_finished`. This one does in its search.
        loop {
            if pool.size.come_back() {
                break;
            }
            if self.is_needed() {
                pool.size.come_back_anyway();
                break;
            }
            thread::park();
            self.attend_waiting();
        }
        self.activity.begin();
        self.trace(EventKind::AsideEnds);
    }

    /// Moves the jobs of its deques into the pool's queue.
    fn hand_over(&self, local: &WorkerLocal) {
        let pool = self.pool();
        while let Some(task) = self.pop_task(local, 0).or_else(|| self.refill(local)) {
            pool.inject_at(self.class(), task);
        }
        // SAFETY: the own thread; tasks are only claimed in batches, and the deque is empty.
        unsafe { self.tasks.rewind_empty(0) };
        self.trace_drained();
    }
}
