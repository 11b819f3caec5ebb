//! The alarms of a world, and the time slices of its strands: see `thread/clock.rs`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::state::strand::Strand;
use crate::value::object::Value;

/// While a strand has fewer alarm numbers than this, it also keeps the numbers of alarms that have rung.
const MOST_NUMBERS: usize = 16;

/// Alarms that were set.
#[derive(Default)]
pub struct Clock {
    pub(crate) state: Mutex<State>,
    pub(crate) sooner: Condvar,
    /// Number of alarms in the list.
    pub(crate) count: AtomicUsize,
    pub(crate) started: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    /// The threads that wait, by the time and the number of the alarm.
    pub(crate) alarms: BTreeMap<(Instant, u64), Value>,
    /// The times of the alarms, by the alarms' numbers.
    pub(crate) times: HashMap<u64, Instant>,
    /// The number of the last alarm.
    pub(crate) last: u64,
    /// Whether a program runs.
    pub(crate) runs: bool,
}

impl Clock {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets an alarm that gives the thread its permit after a time. Returns the alarm's number.
    pub(crate) fn set(&self, thread: Value, after: Duration) -> u64 {
        let now = Instant::now();
        // If the system's clock cannot represent the time, the alarm rings in a year.
        let time = now
            .checked_add(after)
            .unwrap_or(now + Duration::from_secs(31_536_000));
        let mut state = self.lock();
        state.last += 1;
        let number = state.last;
        state.alarms.insert((time, number), thread);
        state.times.insert(number, time);
        let sooner = state
            .alarms
            .first_key_value()
            .is_some_and(|(key, _)| key.1 == number);
        // Relaxed: the caller counts as running, and `thread/stuck.rs` reads the count after the caller has stopped running.
        self.count.fetch_add(1, Ordering::Relaxed);
        drop(state);
        if sooner {
            self.sooner.notify_one();
        }
        number
    }

    /// Sets an alarm for a thread, and notes the alarm's number in the strand that runs the thread.
    pub(crate) fn set_for(&self, strand: &mut Strand, thread: Value, after: Duration) -> u64 {
        let number = self.set(thread, after);
        strand.alarms.push(number);
        // A thread may set many alarms one after the other. The numbers of the alarms that have rung are not needed.
        if strand.alarms.len() >= MOST_NUMBERS && strand.alarms.len().is_power_of_two() {
            self.keep_set(&mut strand.alarms);
        }
        number
    }

    /// Takes an alarm back, if it has not rung yet.
    pub(crate) fn unset(&self, number: u64) {
        let mut state = self.lock();
        if let Some(time) = state.times.remove(&number) {
            state.alarms.remove(&(time, number));
            // Release: pairs with the acquire in `count`.
            self.count.fetch_sub(1, Ordering::Release);
        }
    }

    /// Removes the remaining alarms of a strand that was cancelled or has ended.
    pub fn forget(&self, alarms: &mut Vec<u64>) {
        for number in alarms.drain(..) {
            self.unset(number);
        }
    }

    /// Removes the numbers of alarms that have rung or were taken back.
    fn keep_set(&self, alarms: &mut Vec<u64>) {
        let state = self.lock();
        alarms.retain(|number| state.times.contains_key(number));
    }

    /// Returns the number of alarms that have not rung yet.
    pub(crate) fn count(&self) -> usize {
        // Acquire: pairs with the release in `ring`, so this thread sees the strands that an alarm has queued.
        self.count.load(Ordering::Acquire)
    }

    /// Notes whether a program runs. While no program runs, time slices do not end.
    pub fn runs(&self, runs: bool) {
        self.lock().runs = runs;
        self.sooner.notify_one();
    }

    /// Removes all alarms.
    pub fn clear(&self) {
        let mut state = self.lock();
        state.times.clear();
        let count = std::mem::take(&mut state.alarms).len();
        // Release: pairs with the acquire in `count`.
        self.count.fetch_sub(count, Ordering::Release);
    }

    /// Calls `look` with each thread that waits for an alarm. The collector calls this function while all workers are stopped.
    pub fn each(&self, mut look: impl FnMut(&mut Value)) {
        for thread in self.lock().alarms.values_mut() {
            look(thread);
        }
    }
}
