//! The number of workers that a pool uses, which is at most its number of slots.
//!
//! A surplus worker *retires*: between two jobs, with an empty stack, it moves the jobs of its deques to the pool's queue and parks,
//! while it keeps its slot. It is neither a searcher nor idle, so the protocol of `park` does not count on it: a job wakes another
//! worker, and a request for frames finds none here. It wakes up for work that it alone can do (fibers that are bound to its thread,
//! and the broadcasts of its slot), and when the pool grows or ends.
//!
//! *No worker that is needed retires*: the number of retired workers is updated in one step with the comparison, so `target` workers
//! remain, which is at least 1. *No broadcast is missed*: the worker counts itself before it looks at its inbox, and the broadcaster
//! fills the inbox before it reads the count (all SeqCst).

use crate::trace::EventKind;
use crate::worker::local::WorkerLocal;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Bits of the number of retired workers, below the target number.
const BITS: u32 = 16;
const RETIRED: u32 = (1 << BITS) - 1;

/// The target number of workers, and the number of those that have retired.
#[derive(Debug)]
pub(crate) struct Size {
    word: AtomicU32,
    slots: u32,
}

impl Size {
    /// The number of slots that should be used.
    pub(super) fn new(target: usize, slots: usize) -> Self {
        Size {
            word: AtomicU32::new((target as u32) << BITS),
            slots: slots as u32,
        }
    }

    /// The target number of workers.
    pub(crate) fn target(&self) -> usize {
        // Relaxed: nothing else is read by it.
        (self.word.load(Ordering::Relaxed) >> BITS) as usize
    }

    /// Sets the target number of workers. Returns the number before.
    fn set(&self, target: usize) -> usize {
        let change = |word| Some((target as u32) << BITS | word & RETIRED);
        // SeqCst: before the caller unparks those that may come back.
        let before = self
            .word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change);
        before.map_or(0, |word| (word >> BITS) as usize)
    }

    /// Whether more workers are used than the target.
    #[inline]
    pub(in crate::worker) fn has_excess(&self) -> bool {
        // Relaxed: a hint; `retire` decides. A worker that misses it looks again after its next job.
        self.exceeds(self.word.load(Ordering::Relaxed))
    }

    fn exceeds(&self, word: u32) -> bool {
        self.slots - (word & RETIRED) > word >> BITS
    }

    /// Retires the caller, if there is one worker too many.
    fn retire(&self) -> bool {
        let change = |word| self.exceeds(word).then(|| word + 1);
        // SeqCst: against a broadcast. See the head of the file.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// Uses the caller again, if there are too few workers.
    fn come_back(&self) -> bool {
        let few = |word: u32| self.slots - (word & RETIRED) < word >> BITS;
        let change = |word| few(word).then(|| word - 1);
        // SeqCst: as in `set`.
        self.word
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, change)
            .is_ok()
    }

    /// Uses the caller again, even if there is then one worker too many.
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

    /// Makes the workers that have retired check whether they are needed.
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
