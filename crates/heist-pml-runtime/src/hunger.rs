//! Requests for work by idle workers: how often the workers make requests, and how they wait between requests.
//!
//! A request rings the doorbell of a running worker (`protocol/doorbell.rs`). If this worker finds no fork to publish, it takes the ring
//! back, because a rung doorbell makes each of its polls slow. So an idle worker must repeat its request until some worker publishes a
//! fork. The idle worker repeats the request after a fraction of the time for which it has found no work. So workers start soon after a
//! short sequential phase, and a long phase costs few requests. Only one of several idle workers, the *scout*, makes requests at these
//! short intervals. The other idle workers nap for longer, because requests by all idle workers would slow the running worker.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::thread;
use super::worker::Worker;
use super::world::World;

/// Time for which an idle worker looks for an answer to its request before it naps.
const LOOK: Duration = Duration::from_micros(20);
/// The shortest and the longest nap.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(1));
/// The scout's nap is the time for which the scout has found no work, divided by this number, within the bounds of [`NAP`].
const PART: u32 = 32;

/// In programs of clones (Rainey, section 3.3.3), the first and the longest time for which an idle worker looks for an answer to a request.
/// The time doubles after each request without an answer. When the time has reached the longest time, the worker sleeps between requests.
const SPIN: (Duration, Duration) = (Duration::from_micros(4), Duration::from_micros(256));
/// Length of a sleep between two requests.
const SLEEP: Duration = Duration::from_millis(2);

thread_local! {
    static WAIT: Cell<Wait> = const { Cell::new(Wait::NEWS) };
}

/// The state from which an idle worker computes how long it waits after its next request.
#[derive(Clone, Copy)]
struct Wait {
    /// In programs of clones, the time for which the worker looks for an answer.
    spin: Duration,
    /// In programs without clones, the time of the first request after the latest answer.
    since: Option<Instant>,
}

impl Wait {
    /// The state after an answer: a fork was published, or a strand can run again.
    const NEWS: Wait = Wait {
        spin: SPIN.0,
        since: None,
    };
}

/// The place at which idle workers nap until a fork is published.
#[derive(Default)]
pub(super) struct Hunger {
    naps: Mutex<()>,
    told: Condvar,
    napping: AtomicUsize,
    /// Whether a worker naps as the scout.
    scouted: AtomicBool,
    /// Whether a program runs.
    busy: AtomicBool,
    /// Whether the forks of the program make tasks.
    clones: AtomicBool,
}

impl Hunger {
    /// Notes that a program begins, and whether its forks make tasks.
    pub(super) fn begin(&self, clones: bool) {
        // Relaxed: see `ask`.
        self.clones.store(clones, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
    }

    /// Notes that the program has ended.
    pub(super) fn end(&self) {
        // Relaxed: see `ask`.
        self.busy.store(false, Ordering::Relaxed);
    }

    /// Asks all running workers to publish forks, and waits for an answer for a limited time. Returns false if no program runs.
    pub(super) fn ask(&self, world: &World) -> bool {
        // Relaxed: a worker that sees this too late sleeps, and is woken by the broadcast in `Pool::run`.
        if !self.busy.load(Ordering::Relaxed) {
            // The next request belongs to another program, so the waits begin anew.
            WAIT.set(Wait::NEWS);
            return false;
        }
        world.assist();
        if world.threads.are_used() {
            thread::look(world);
        }
        let count =
            || world.published.load(Ordering::Relaxed) + world.woken.load(Ordering::Relaxed);
        let before = count();
        world.each_worker(|worker| {
            // SAFETY: workers stay until they are removed, and the fields are atomics.
            unsafe {
                (*worker).bell.wanted.store(1, Ordering::Relaxed);
                Worker::ring(worker);
            }
        });
        let news = || count() != before;
        let mut wait = WAIT.get();
        let clones = self.clones.load(Ordering::Relaxed);
        let look = if clones { wait.spin } else { LOOK };
        let began = Instant::now();
        while began.elapsed() < look {
            if news() {
                WAIT.set(Wait::NEWS);
                return true;
            }
            std::hint::spin_loop();
        }
        if clones && wait.spin < SPIN.1 {
            wait.spin *= 2;
            WAIT.set(wait);
            return true;
        }
        let since = *wait.since.get_or_insert(began);
        // Relaxed: no data depends on the choice of the scout.
        let is_scout = !clones && !self.scouted.swap(true, Ordering::Relaxed);
        let rest = if clones {
            SLEEP
        } else if is_scout {
            (since.elapsed() / PART).clamp(NAP.0, NAP.1)
        } else {
            NAP.1
        };
        let guard = self.naps.lock().unwrap_or_else(PoisonError::into_inner);
        self.napping.fetch_add(1, Ordering::SeqCst);
        if !news() {
            let _ = self.told.wait_timeout(guard, rest);
        }
        self.napping.fetch_sub(1, Ordering::SeqCst);
        if is_scout {
            self.scouted.store(false, Ordering::Relaxed);
        }
        WAIT.set(if news() { Wait::NEWS } else { wait });
        true
    }

    /// Wakes napping workers after a fork was published.
    pub(super) fn tell(&self) {
        if self.napping.load(Ordering::SeqCst) > 0 {
            drop(self.naps.lock().unwrap_or_else(PoisonError::into_inner));
            self.told.notify_all();
        }
    }
}
