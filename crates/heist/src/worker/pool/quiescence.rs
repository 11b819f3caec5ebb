//! Decides whether the threads of a pool can continue by themselves.

use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::Ordering;

impl WorkerThread {
    /// If the worker does nothing, and will not before another thread acts: a number that is another one
    /// after it has done something, and whether it would take work. Work that only it can do counts.
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
    /// If none of the pool's threads does anything, nor will before a thread that is not the pool's
    /// acts: how many they are. Pushes numbers to `stamps`, of which one at least is another one if
    /// any thread has done something between two calls.
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
