//! The services that the protocol of sleeping needs from a pool.

use crate::park::IdleHooks;
use crate::platform::{current_cpu, fence_is_ready, heavy_fence};
use crate::trace::EventKind;
use crate::waiting;
use crate::worker::local::local;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::Ordering;

impl PoolInner {
    /// Prints a message, once for each pool, that the pool has reached the limit on its threads. If the pool then makes no progress, the
    /// user knows that a thread is missing.
    fn report_exhaustion(&self) {
        if !self.exhausted.swap(true, Ordering::Relaxed) {
            crate::platform::say(format_args!(
                "heist: all {} spare threads of the pool {:?} wait ({}); work may stop until one goes on (see Builder::spare_threads)",
                self.settings.max_spares,
                self.settings.name,
                self.tell_waits()
            ));
        }
    }
}

impl PoolInner {
    /// Returns a description of the waits of the pool's threads, with the number of threads for
    /// each wait.
    fn tell_waits(&self) -> String {
        let mut reasons: Vec<(waiting::Reason, u32)> = Vec::new();
        for reason in self.workers().filter_map(|worker| worker.seat.reason()) {
            // Groups the waits by the text that describes the reason, and not by the place where the
            // wait began.
            let same = |(other, _): &&mut (waiting::Reason, u32)| {
                (other.what(), other.site().map(|site| site.made))
                    == (reason.what(), reason.site().map(|site| site.made))
            };
            match reasons.iter_mut().find(same) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            }
        }
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let parts = reasons
            .iter()
            .map(|(reason, count)| format!("{count} for {reason}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl IdleHooks for PoolInner {
    fn work_waits(&self, slot: Option<u32>) -> bool {
        self.has_jobs(slot)
    }

    fn has_frames(&self) -> bool {
        let _looking = self.lookers.look();
        self.victims().any(WorkerThread::has_work)
    }

    fn announce_request(&self) -> bool {
        let _looking = self.lookers.look();
        let mut any = false;
        for worker in self.victims() {
            any |= worker.shared().announce();
        }
        any
    }

    fn hint_request(&self) {
        let _looking = self.lookers.look();
        for worker in self.victims() {
            // The request does not count as announced: the next thread that announces a request must issue its
            // own fence.
            worker.shared().owe();
        }
    }

    fn has_heavy_fence(&self) -> bool {
        fence_is_ready()
    }

    fn heavy_fence(&self) {
        heavy_fence();
    }

    fn before_sleep(&self, worker: u16) {
        if let Some(worker) = self.worker(worker.into()) {
            worker.woken.store(false, Ordering::Relaxed);
        }
    }

    fn is_bound_here(&self, worker: u16) -> bool {
        let worker = self.worker(worker.into());
        let bound = worker.and_then(|worker| self.binding.cpu_of(worker.slot()));
        bound.is_some() && bound == current_cpu()
    }

    fn wake(&self, worker: u16, slot: Option<u32>) {
        if let Some(worker) = self.worker(worker.into()) {
            if let Some(slot) = slot {
                worker.slot.store(slot, Ordering::Relaxed);
            }
            // Release pairs with the sleeper's Acquire, and publishes its slot and the work for which it is woken.
            worker.woken.store(true, Ordering::Release);
            worker.thread.unpark();
            self.trace_wake(worker.id);
        }
    }

    fn start_spare(&self, unborn: Option<u16>, slot: u32) -> bool {
        let fresh = || {
            let mut count = self.count.load(Ordering::Relaxed);
            while (count as usize) < self.workers.len() {
                // Release pairs with the Acquire in `workers`.
                match self.count.compare_exchange_weak(
                    count,
                    count + 1,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                ) {
                    Ok(id) => return Some(id as u16),
                    Err(now) => count = now,
                }
            }
            self.report_exhaustion();
            None
        };
        let (Some(id), Some(this)) = (unborn.or_else(fresh), self.this.upgrade()) else {
            return false;
        };
        if let Err(error) = this.start_worker(id, slot) {
            // The drop of the thread's start has recorded that the slot is stranded.
            self.report_refusal(&error);
        }
        true
    }

    fn hasten(&self) {
        self.hasten_retry();
    }
}

impl PoolInner {
    /// Records in the trace that this thread has woken thread `thread`, if this thread belongs to
    /// the pool.
    fn trace_wake(&self, thread: u16) {
        if !self.trace.is_on() {
            return;
        }
        if let Some(own) = local().worker_of(self) {
            own.trace(EventKind::Woke { thread });
        }
    }
}
