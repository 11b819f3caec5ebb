//! Yields: other jobs run before the current closure continues.

use crate::park::Reason as Wakes;
use crate::task::Header;
use crate::trace::EventKind;
use crate::waiting::{Reason, Until};
use crate::worker::queue::class::Class;
use crate::worker::queue::job::Job;
use crate::worker::thread::WorkerThread;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The maximum time for which a worker waits for its turn.
const LONGEST: Duration = Duration::from_micros(500);

/// A job that a yielding thread puts at the end of the injector. When this job runs, workers have taken all earlier jobs.
#[repr(C)]
struct Turn {
    header: Header,
    thread: Thread,
    has_come: AtomicBool,
}

impl Turn {
    unsafe fn come(this: *mut Header) {
        let this: *const Turn = this.cast_const().cast();
        // SAFETY: the worker that made the turn keeps it in place until the store. After the store, only the clone
        // of `thread` is used.
        unsafe {
            let thread = (*this).thread.clone();
            // Release pairs with the Acquire in `let_others_go_first`, and publishes the earlier work.
            (*this).has_come.store(true, Ordering::Release);
            thread.unpark();
        }
    }
}

impl WorkerThread {
    /// Waits until other threads have begun the ready work, but only for a limited time. During the wait, nothing runs on top of this stack
    /// except fibers that are bound to this thread.
    pub(crate) fn give_turn(&self) {
        let pool = self.pool();
        if self.has_bound() {
            self.run_bound(&Until(Reason::Foreign, || false));
        }
        self.flush();
        let ready =
            self.has_work() || pool.has_queued() || crate::park::IdleHooks::has_frames(pool);
        if !ready || self.wait_policy.keeps_slots() || self.in_handler.get() {
            thread::yield_now();
            return;
        }
        // SAFETY: this is the owner's thread.
        unsafe {
            self.forks.expose_all();
            self.tasks.expose_all();
            self.ready.expose_all();
        }
        let counts = pool.idle.counts();
        if counts.searching > 0 || counts.idle > 0 {
            // Other workers have time for the work, so this worker need not give its slot away.
            pool.idle.notify(pool, Wakes::Exposed);
            thread::yield_now();
        } else {
            self.let_others_go_first();
        }
    }

    /// Gives the slot away until workers have taken all current entries of the injector, or until the maximum time has passed. Then takes a
    /// slot back.
    fn let_others_go_first(&self) {
        self.regain_slot();
        let pool = self.pool();
        let turn = Turn {
            header: Header::new(Turn::come),
            thread: thread::current(),
            has_come: AtomicBool::new(false),
        };
        // The turn stays in place until it has been taken back, or has run. The turn's class puts it behind all jobs of the injector.
        let class = match pool.injector.has_classes() {
            true => Class::Background,
            false => Class::Normal,
        };
        let ticket = pool
            .injector
            .push_at(class, Job::Run((&raw const turn).cast_mut().cast()));
        let since = Instant::now();
        let slot = self.slot();
        self.counters.handovers.add(1);
        self.trace(EventKind::SlotGiven);
        pool.idle.vacate(pool, slot);
        pool.slot_freed();
        while !turn.has_come.load(Ordering::Acquire) {
            let left = LONGEST.saturating_sub(since.elapsed());
            // If no thread is available for the slot, there may be no worker to pop the turn.
            if !left.is_zero() && !pool.idle.has_stranded() {
                thread::park_timeout(left);
                continue;
            }
            if pool.injector.take_back(ticket).is_some() {
                break;
            }
            // A worker has taken the turn and runs it immediately.
            thread::yield_now();
        }
        pool.idle.resume(slot);
        self.trace(EventKind::SlotTaken);
    }
}
