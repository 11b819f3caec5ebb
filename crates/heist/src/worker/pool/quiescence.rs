//! Decides whether the threads of a pool can continue by themselves.

use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::Ordering;

impl WorkerThread {
    /// If the worker is inactive, and remains so until another thread acts: a number that changes when
    /// the worker acts, and whether it would take work. Work that only this worker can do counts.
    fn quiescent(&self) -> Option<(u64, bool)> {
        // First: if these have just been taken, it is seen below that the worker is up.
        if self.has_messages() {
            return None;
        }
        // The two numbers apart: it may have gone from one to the other.
        match self.seat.stuck() {
            // Relaxed: see `serve_in_handler`.
            Some(wait) => Some((wait << 1 | 1, self.serves.load(Ordering::Relaxed))),
            // What it does outside of the pool is no activity of the pool's.
            None if self.adopted => None,
            None => self.activity.periods().map(|periods| (periods << 1, true)),
        }
    }
}

impl PoolInner {
    /// If all of the pool's threads are inactive, and stay so until a thread outside the pool acts:
    /// their number. Pushes numbers to `stamps`, at least one of which changes if any thread acts
    /// between two calls.
    pub(crate) fn quiescent_threads(&self, stamps: &mut Vec<u64>) -> Option<usize> {
        // First: a worker that has just taken a job is seen below to be up.
        let queued = self.has_queued();
        let queued = match self.has_frames_for_strangers() {
            Some(frames) => queued || frames,
            // Below all have ended, or there is no answer.
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
        // In a closing pool each worker was unparked, and leaves when it comes to look at that, be it late.
        if threads > 0 && self.closing.load(Ordering::SeqCst) && self.is_finished() {
            return None;
        }
        // A job that no worker would take from its queue cannot run either: the last waiter has tried to start a
        // thread for it before it settled down. If that was refused, it is tried again, and may succeed.
        let runs = takers || self.idle.has_refused();
        (!(runs && queued)).then_some(threads)
    }
}
