//! The alarms of the process: one thread, which exists while any alarm is set.

use crate::cancel::Node;
use crate::platform::{ForkGeneration, PerProcess};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

/// The time for which the timer's thread stays after the last alarm. So a program with many short alarms does not start the thread for each
/// alarm.
const LINGER: Duration = Duration::from_millis(500);

/// The maximum number of alarms that go off between two acquisitions of the lock.
const BATCH: usize = 64;

/// The time of an alarm, and a number that distinguishes alarms of the same time.
type Key = (Instant, u64);

/// The action at the time of an alarm.
#[derive(Debug)]
enum Action {
    Cancel(Weak<Node>),
    Wake(Waker),
}

impl Action {
    /// Runs the action. A waker is foreign code, and may panic. If the waker panics, the panic hook reports the panic,
    /// and this function drops the panic, so that its caller still calls the other wakers.
    fn run(self) {
        let called = catch_unwind(AssertUnwindSafe(|| match self {
            Action::Cancel(node) => drop(node.upgrade().map(|node| node.cancel())),
            Action::Wake(waker) => waker.wake(),
        }));
        if let Err(payload) = called {
            std::mem::forget(payload);
        }
    }
}

#[derive(Debug, Default)]
struct Timer {
    alarms: BTreeMap<Key, Action>,
    next: u64,
    /// True while the thread runs.
    has_thread: bool,
}

#[derive(Debug, Default)]
struct Shared {
    timer: Mutex<Timer>,
    /// The signal that a new alarm is earlier than all other alarms.
    earlier: Condvar,
}

/// The timer of this process. A child of `fork()` has its own timer: the timer's thread does not exist in the child,
/// and may have held the lock at the time of the fork.
static SHARED: PerProcess<Shared> = PerProcess::new();

fn timer() -> MutexGuard<'static, Timer> {
    // While a thread holds the lock, only the start of the timer's thread can panic, and such a panic does not change the timer.
    let timer = &SHARED.get().timer;
    timer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An alarm. The alarm goes off at its time, unless it is dropped earlier.
///
/// If n alarms are set, setting or dropping an alarm takes O(log n) time. Dropping an alarm removes it from the tree
/// immediately.
#[derive(Debug)]
pub(crate) struct Alarm {
    key: Key,
    /// The process in which the alarm was set.
    process: ForkGeneration,
}

impl Alarm {
    /// Cancels `node` at the time `at`.
    ///
    /// # Panics
    /// Panics if the thread of the timer cannot be started.
    pub(crate) fn cancel(at: Instant, node: &Arc<Node>) -> Self {
        if at <= Instant::now() {
            node.cancel();
        }
        Alarm::set(at, Action::Cancel(Arc::downgrade(node)))
    }

    /// Calls `waker` at the time `at`.
    ///
    /// # Panics
    /// Panics if the thread of the timer cannot be started.
    pub(super) fn wake(at: Instant, waker: Waker) -> Self {
        Alarm::set(at, Action::Wake(waker))
    }

    /// Calls `waker` at the time `at`, like [`wake`](Self::wake).
    ///
    /// # Errors
    /// Returns the error of the system if the thread of the timer cannot be started.
    pub(crate) fn try_wake(at: Instant, waker: Waker) -> io::Result<Self> {
        Alarm::try_set(at, Action::Wake(waker))
    }

    fn set(at: Instant, action: Action) -> Self {
        Alarm::try_set(at, action).expect("heist: the thread of the timer could not be started")
    }

    fn try_set(at: Instant, action: Action) -> io::Result<Self> {
        let mut timer = timer();
        if !timer.has_thread {
            thread::Builder::new()
                .name("heist-timer".to_owned())
                .spawn(run)?;
            timer.has_thread = true;
        }
        let key = (at, timer.next);
        timer.next += 1;
        timer.alarms.insert(key, action);
        let is_first = timer.alarms.first_key_value().map(|(key, _)| *key) == Some(key);
        drop(timer);
        if is_first {
            SHARED.get().earlier.notify_one();
        }
        let process = ForkGeneration::current();
        Ok(Alarm { key, process })
    }

    /// Replaces the alarm's waker. Returns false if the alarm has gone off.
    pub(super) fn renew(&self, waker: Waker) -> bool {
        if !self.process.is_current() {
            return false;
        }
        let mut timer = timer();
        let old = match timer.alarms.get_mut(&self.key) {
            Some(action) => std::mem::replace(action, Action::Wake(waker)),
            None => return false,
        };
        drop(timer);
        // The waker is dropped without the lock, because its drop runs foreign code.
        drop(old);
        true
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if !self.process.is_current() {
            return;
        }
        let action = timer().alarms.remove(&self.key);
        // The waker is dropped without the lock, because its drop runs foreign code.
        drop(action);
    }
}

/// Runs the alarms that are due, on the timer's thread. Returns when no alarm has been set for the time [`LINGER`].
fn run() {
    let mut timer = timer();
    let mut idle_since: Option<Instant> = None;
    let mut due = Vec::with_capacity(BATCH);
    loop {
        let now = Instant::now();
        while let Some(first) = timer.alarms.first_entry() {
            if first.key().0 > now || due.len() == BATCH {
                break;
            }
            due.push(first.remove());
        }
        if !due.is_empty() {
            drop(timer);
            due.drain(..).for_each(Action::run);
            timer = self::timer();
            continue;
        }
        let wait = match timer.alarms.first_key_value() {
            Some((next, _)) => {
                idle_since = None;
                next.0 - now
            }
            None => {
                let idle = now - *idle_since.get_or_insert(now);
                if idle >= LINGER {
                    // The thread clears this flag under the lock, so the next alarm starts another thread.
                    timer.has_thread = false;
                    return;
                }
                LINGER - idle
            }
        };
        let waited = SHARED.get().earlier.wait_timeout(timer, wait);
        timer = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}
