//! Retries starts of threads that the system has refused. The pool reports a failed start once. A worker that waits
//! without a slot retries the start. If all workers wait for the operating system, the timer retries instead.

use crate::timer::Alarm;
use crate::waiting::Awaited;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// The lengths of the pauses between two attempts: the length of the first pause, and the maximum length.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// The state of a pool's attempts to start threads after the system has refused a start.
#[derive(Debug, Default)]
pub(in crate::worker) struct Retry {
    /// The number of the worker that retries, plus one, or 0 if no worker retries.
    on_duty: AtomicU32,
    /// True after the pool has reported that it could not start a thread.
    told: AtomicBool,
    /// Time of the last attempt by a thread that added work to the pool.
    last: Mutex<Option<Instant>>,
    later: Mutex<Later>,
}

/// The timer's next attempt to start threads.
#[derive(Debug, Default)]
struct Later {
    alarm: Option<Alarm>,
    /// The pause before the timer's last attempt. The pause is zero if the system did not refuse that attempt.
    pause: Duration,
}

/// A waker with which the timer retries the starts of threads of a pool.
struct Attempt(Weak<PoolInner>);

impl Wake for Attempt {
    fn wake(self: Arc<Self>) {
        if let Some(pool) = self.0.upgrade() {
            pool.retry_by_timer();
        }
    }
}

impl Retry {
    /// Returns true if the last attempt by a thread that added work was at least a millisecond ago. In that case, records an attempt at
    /// this moment.
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

impl Retry {
    fn later(&self) -> MutexGuard<'_, Later> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolInner {
    /// Reports, once, that a spare thread could not be started.
    pub(in crate::worker) fn report_refusal(&self, error: &io::Error) {
        // Relaxed: only the message depends on this flag.
        if !self.retry.told.swap(true, Ordering::Relaxed) {
            crate::platform::say(format_args!(
                "heist: the pool {:?} could not start a spare thread ({error}); it tries again while work waits for one",
                self.settings.name
            ));
        }
    }

    /// Ensures that a waiting worker or the timer retries a start that the system has refused.
    pub(in crate::worker) fn call_for_retry(&self) {
        // SeqCst: the refusal has been counted before this load. A waiter that stops retrying clears `on_duty` and then looks for refusals.
        // So either this thread sees the cleared word, or the waiter sees the refusal.
        if self.retry.on_duty.load(Ordering::SeqCst) != 0 {
            return;
        }
        // The stranded slot belonged to a waiter. Either this waiter sees the refusal before it parks, or the unpark
        // below wakes it.
        for worker in self.workers() {
            worker.thread.unpark();
        }
        self.retry_later();
    }

    /// Makes the timer retry the starts after a pause, because all workers may be waiting for the operating system.
    fn retry_later(&self) {
        let mut later = self.retry.later();
        if later.alarm.is_some() {
            return;
        }
        later.pause = (later.pause * 2).clamp(PAUSE.0, PAUSE.1);
        let attempt = Waker::from(Arc::new(Attempt(Weak::clone(&self.this))));
        // If the system refuses the timer's thread, too, the next thread that brings work tries again.
        later.alarm = Alarm::try_wake(Instant::now() + later.pause, attempt).ok();
    }

    /// Retries the starts on the timer's thread, unless a worker retries them. If the system refuses a start again, the timer tries again
    /// later.
    fn retry_by_timer(&self) {
        let alarm = self.retry.later().alarm.take();
        drop(alarm);
        if self.retry.on_duty.load(Ordering::SeqCst) != 0 {
            return;
        }
        if self.idle.has_refused() {
            self.idle.retry(self);
            self.slot_freed();
        }
        if !self.idle.has_refused() {
            self.retry.later().pause = Duration::ZERO;
        }
    }

    /// Implements [`hasten`](crate::park::IdleHooks::hasten).
    pub(in crate::worker) fn hasten_retry(&self) {
        let on_duty = self.retry.on_duty.load(Ordering::SeqCst);
        let worker = on_duty.checked_sub(1).map(|id| self.worker(id as usize));
        if let Some(worker) = worker.flatten() {
            worker.thread.unpark();
        } else if self.retry.is_due() {
            // No worker retries the start, because the workers without a slot wait for the operating system. So the thread that has added
            // work retries.
            self.idle.retry(self);
            self.slot_freed();
        }
    }
}

impl WorkerThread {
    /// Waits without a slot until `awaited` is done, or until there is a job that is bound to this thread. If the system has refused to
    /// start threads, one of the workers that wait in this function retries the starts.
    pub(in crate::worker) fn rest_without_slot(&self, awaited: &dyn Awaited) {
        let pool = self.pool();
        let on_duty = &pool.retry.on_duty;
        let rests = || !awaited.is_done() && !self.has_bound();
        // The seat settles only now, because until now the worker has woken other workers and
        // started threads.
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
                // This worker continues its job, so another worker must retry the starts.
                pool.call_for_retry();
            }
        }
    }

    /// Retries the refused starts, with pauses, until the system has started all threads or this worker's wait ends.
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
                // An unpark before the end of the pause means that work has come.
                due = due.min(last + PAUSE.0);
            }
            pause = (pause * 2).min(PAUSE.1);
            // The worker rouses its seat before it takes any step that other threads may observe: see `deadlock`.
            self.seat.rouse();
            pool.idle.retry(pool);
            pool.slot_freed();
            self.seat.settle();
        }
    }
}
