//! A flag that one thread waits for.

use crate::worker::hot;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a thread outside looks before it sleeps: about what a worker takes to wake up and run
/// a short job, so that short jobs spare the second wake-up.
const OUTSIDE_PATIENCE: Duration = Duration::from_micros(20);
/// How long it does so without letting others have its processor: the pool may want it.
const OUTSIDE_SPIN: Duration = Duration::from_micros(1);

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
        while !self.is_set() {
            let waited = since.elapsed();
            if waited < OUTSIDE_SPIN {
                std::hint::spin_loop();
            } else if waited < OUTSIDE_PATIENCE {
                thread::yield_now();
            } else {
                thread::park();
            }
        }
    }
}
