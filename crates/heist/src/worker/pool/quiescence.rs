//! Decides whether the threads of a pool can continue without an action of another thread.

use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::Ordering;

impl WorkerThread {
    /// Returns `None` if the worker is active, can become active without an action of another thread, or has work that only this worker can
    /// do. Otherwise returns a number that changes when the worker acts. The second value is true if the worker would take queued work.
    fn quiescent(&self) -> Option<(u64, bool)> {
        // This check comes first: if the worker has just taken its messages, the code below sees that
        // the worker is active.
        if self.has_messages() {
            return None;
        }
        // The numbers are odd for a worker that waits, and even for an inactive worker, so a change from one case to the other changes the
        // number.
        match self.seat.stuck() {
            // Relaxed: see `serve_in_handler`.
            Some(wait) => Some((wait << 1 | 1, self.serves.load(Ordering::Relaxed))),
            // The thread's actions outside of the pool do not count as activity of the pool.
            None if self.adopted => None,
            None => self.activity.periods().map(|periods| (periods << 1, true)),
        }
    }
}

impl PoolInner {
    /// Returns the number of the pool's threads if all of them are inactive until a thread outside the pool acts. Pushes a number for each
    /// thread to `stamps`. If any of the threads acts between two calls, at least one of these numbers changes.
    pub(crate) fn quiescent_threads(&self, stamps: &mut Vec<u64>) -> Option<usize> {
        // This check comes first: if a worker has just taken a job, the code below sees that the
        // worker is active.
        let queued = self.has_queued();
        let queued = match self.has_frames_for_strangers() {
            Some(frames) => queued || frames,
            // In this case either all threads have ended, or `workers_with_threads` returns `None` below.
            None => queued,
        };
        let mut threads = 0;
        let mut takers = false;
        for worker in self.workers_with_threads()? {
            let (stamp, takes) = worker.quiescent()?;
            takers |= takes;
            stamps.push(stamp);
            threads += 1;
        }
        // In a closing pool without work, each worker has been unparked, and leaves as soon as it looks at the flag. So the pool ends, even
        // if a worker looks at the flag late.
        if threads > 0 && self.closing.load(Ordering::SeqCst) && self.is_finished() {
            return None;
        }
        // If no worker would take a job from its queue, the job cannot run: before the last waiter settled, this waiter tried to start a
        // thread for the job. If the system refused that start, the pool retries it, and a retry may succeed.
        let runs = takers || self.idle.has_refused();
        (!(runs && queued)).then_some(threads)
    }
}
