//! The timer of deadlines: one thread, which exists while any are set.

use crate::cancel::Node;
use crate::platform::ForkGeneration;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Time that the thread stays without deadlines, so that a program with many short ones does not start it for each.
const LINGER: Duration = Duration::from_millis(500);

#[derive(Debug)]
struct Timer {
    /// By time. The number tells apart those of one time.
    deadlines: BTreeMap<(Instant, u64), Weak<Node>>,
    next: u64,
    /// The process in which the thread runs, if it does.
    thread: Option<ForkGeneration>,
}

static TIMER: Mutex<Timer> = Mutex::new(Timer {
    deadlines: BTreeMap::new(),
    next: 0,
    thread: None,
});
/// An earlier deadline than all others was set.
static EARLIER: Condvar = Condvar::new();

fn timer() -> MutexGuard<'static, Timer> {
    // Nothing panics under the lock but the start of the thread, which leaves the timer as it was.
    TIMER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A deadline, until it is dropped.
#[derive(Debug)]
pub(super) struct Deadline((Instant, u64));

impl Deadline {
    /// Cancels the node at that time.
    ///
    /// # Panics
    /// If the thread of the timer cannot be started.
    pub(super) fn set(at: Instant, node: &Arc<Node>) -> Self {
        if at <= Instant::now() {
            node.cancel();
        }
        let mut timer = timer();
        if !timer.thread.is_some_and(|of| of.is_current()) {
            thread::Builder::new()
                .name("heist-timer".to_owned())
                .spawn(run)
                .expect("heist: the thread for deadlines could not be started");
            timer.thread = Some(ForkGeneration::current());
        }
        let key = (at, timer.next);
        timer.next += 1;
        timer.deadlines.insert(key, Arc::downgrade(node));
        let is_first = timer.deadlines.first_key_value().map(|(key, _)| *key) == Some(key);
        drop(timer);
        if is_first {
            EARLIER.notify_one();
        }
        Deadline(key)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        timer().deadlines.remove(&self.0);
    }
}

/// The thread: cancels what is due, and ends when it has had nothing to do for a while.
fn run() {
    let mut timer = timer();
    let mut idle_since: Option<Instant> = None;
    loop {
        let now = Instant::now();
        let first = timer.deadlines.first_entry();
        let wait = match first {
            Some(due) if due.key().0 <= now => {
                let node = due.remove().upgrade();
                drop(timer);
                if let Some(node) = node {
                    node.cancel();
                }
                timer = self::timer();
                continue;
            }
            Some(next) => {
                idle_since = None;
                next.key().0 - now
            }
            None => {
                let idle = now - *idle_since.get_or_insert(now);
                if idle >= LINGER {
                    // Under the lock: the next deadline starts another thread.
                    timer.thread = None;
                    return;
                }
                LINGER - idle
            }
        };
        let waited = EARLIER.wait_timeout(timer, wait);
        timer = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}
