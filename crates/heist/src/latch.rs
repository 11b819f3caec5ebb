//! A flag that one thread waits for.

use crate::worker::hot;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a thread outside looks before it sleeps: about what a worker takes to wake up and run
/// a short job, so that short jobs spare the second wake-up.
const OUTSIDE_PATIENCE: Duration = Duration::from_micros(20);

/// Set once, by one thread, for the thread that made it.
#[derive(Debug)]
pub(crate) struct Latch {
    set: AtomicBool,
    waiter: Thread,
}

impl Latch {
    pub(crate) fn new() -> Self {
        Latch {
            set: AtomicBool::new(false),
            waiter: thread::current(),
        }
    }

    /// Sets it. The latch may be gone as soon as it is set, so nothing is touched after that.
    pub(crate) fn set(&self) {
        let waiter = self.waiter.clone();
        // Release pairs with `is_set`: what came before is seen by the waiter.
        self.set.store(true, Ordering::Release);
        waiter.unpark();
    }

    fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    /// Waits, on the thread that made it. A worker gives its slot away meanwhile.
    pub(crate) fn wait(&self) {
        if let Some(carrier) = hot().carrier() {
            carrier.wait_until(&|| self.is_set());
            return;
        }
        let since = Instant::now();
        let mut rounds = 0_u32;
        while !self.is_set() {
            rounds += 1;
            if since.elapsed() < OUTSIDE_PATIENCE {
                if rounds.is_multiple_of(64) {
                    thread::yield_now();
                }
                std::hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }
}
