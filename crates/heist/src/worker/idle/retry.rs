//! Threads that could not be started: the pool reports this once, and a waiting worker tries again.

use crate::waiting::Awaited;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The first and the longest pause between two attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// State of a pool's attempts to start the threads that could not be started.
#[derive(Debug, Default)]
pub(in crate::worker) struct Retry {
    /// The worker that retries, as its number plus one; 0 if none does.
    on_duty: AtomicU32,
    /// Whether the failure to start a thread was reported.
    told: AtomicBool,
    /// Time of the last attempt by a thread that brought work.
    last: Mutex<Option<Instant>>,
}

impl Retry {
    /// Whether the last attempt by a thread that brought work is some time ago. Sets the time of the last attempt to now.
    fn is_due(&self) -> bool {
        let Ok(mut last) = self.last.try_lock() else {
            return false;
        };
        let is_due = last.is_none_or(|last| last.elapsed() >= PAUSE.0);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

impl PoolInner {
    /// Reports, once, that a spare thread could not be started.
    pub(in crate::worker) fn report_refusal(&self, error: &io::Error) {
        // Relaxed: nothing but the message depends on it.
        if !self.retry.told.swap(true, Ordering::Relaxed) {
            crate::platform::say(format_args!(
                "heist: the pool {:?} could not start a spare thread ({error}); it tries again while work waits for one",
                self.settings.name
            ));
        }
    }

    /// A start has been refused: ensures that a waiter tries again.
    pub(in crate::worker) fn call_for_retry(&self) {
        // SeqCst: the refusal was counted before. A waiter that leaves the duty counts itself off and then looks for
        // refusals, so one of the two sees the other.
        if self.retry.on_duty.load(Ordering::SeqCst) != 0 {
            return;
        }
        // A stranded slot was some waiter's. It looks before it parks, and after that this unparks it.
        for worker in self.workers() {
            worker.thread.unpark();
        }
    }

    /// Implements [`hasten`](crate::park::IdleHooks::hasten).
    pub(in crate::worker) fn hasten_retry(&self) {
        let on_duty = self.retry.on_duty.load(Ordering::SeqCst);
        let worker = on_duty.checked_sub(1).map(|id| self.worker(id as usize));
        if let Some(worker) = worker.flatten() {
            worker.thread.unpark();
        } else if self.retry.is_due() {
            // Those without a slot wait for the system, and cannot try: the thread that has brought work does.
            self.idle.retry(self);
            self.slot_freed();
        }
    }
}

impl WorkerThread {
    /// Waits without a slot until it is done, or until a job arrives that is bound to this thread. While starts are
    /// refused, one such waiter retries them.
    pub(in crate::worker) fn rest_without_slot(&self, awaited: &dyn Awaited) {
        let pool = self.pool();
        let on_duty = &pool.retry.on_duty;
        let rests = || !awaited.is_done() && !self.has_bound();
        // Not before: until here it has woken others, and started threads.
        self.seat.settle();
        while rests() {
            let claimed = pool.idle.has_refused()
                && on_duty
                    .compare_exchange(
                        0,
                        u32::from(self.id) + 1,
                        Ordering::SeqCst,
                        Ordering::SeqCst,
                    )
                    .is_ok();
            if !claimed {
                thread::park();
                continue;
            }
            self.retry_starts(&rests);
            on_duty.store(0, Ordering::SeqCst);
            if pool.idle.has_refused() {
                // This one goes on. Another one takes the duty.
                pool.call_for_retry();
            }
        }
    }

    /// Retries refused starts, with pauses, until none is refused.
    fn retry_starts(&self, rests: &dyn Fn() -> bool) {
        let pool = self.pool();
        let mut pause = PAUSE.0;
        while rests() && pool.idle.has_refused() {
            let last = Instant::now();
            let mut due = last + pause;
            loop {
                let left = due.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                thread::park_timeout(left);
                if !rests() {
                    return;
                }
                // Unparked before its time: work has come.
                due = due.min(last + PAUSE.0);
            }
            pause = (pause * 2).min(PAUSE.1);
            // Before it does anything that others may count on: see `deadlock`.
            self.seat.rouse();
            pool.idle.retry(pool);
            pool.slot_freed();
            self.seat.settle();
        }
    }
}
