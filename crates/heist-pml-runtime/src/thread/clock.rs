//! Alarms and time slices. The thread of the clock sleeps until the next alarm or the end of the next time slice.
//!
//! While the thread of the clock gives permits, it counts as running, so no collection happens. The clock removes an alarm from the list
//! after it has queued the alarm's strand. So if a world has no alarms and no queued entries, and no worker runs, nothing can continue
//! (`stuck.rs`).

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::thread_object::give_permit;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::wake;

/// Time for which a strand runs before it yields to other strands that are ready on its worker.
const TURN: Duration = Duration::from_millis(10);

/// The minimum number of alarm numbers in a strand at which the strand drops those whose alarms have rung.
const MOST_NUMBERS: usize = 16;

/// Alarms that were set.
#[derive(Default)]
pub struct Clock {
    state: Mutex<State>,
    sooner: Condvar,
    /// Number of alarms in the list.
    count: AtomicUsize,
    started: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The threads that wait, by the time and the number of the alarm.
    alarms: BTreeMap<(Instant, u64), Value>,
    /// The times of the alarms, by the alarms' numbers.
    times: HashMap<u64, Instant>,
    /// The number of the last alarm.
    last: u64,
    /// Whether a program runs.
    runs: bool,
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, State> {
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
        // Relaxed: the caller counts as running, and `stuck.rs` reads the count after the caller has stopped running.
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

    /// Starts the thread of the clock, if the world has none yet.
    pub fn start(&self, world: &Arc<World>) {
        // Relaxed: two threads never call this at the same time.
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let world = world.clone();
        let run = move || world.threads.clock.run(&world);
        let name = std::thread::Builder::new().name("heist-pml-clock".into());
        if let Err(error) = name.stack_size(256 << 10).spawn(run) {
            fatal(&format!("cannot start the thread of the clock: {error}"));
        }
    }

    fn run(&self, world: &World) {
        let mut turn = Instant::now();
        loop {
            let now = Instant::now();
            let state = self.lock();
            let due = state.alarms.first_key_value().map(|(key, _)| key.0);
            if due.is_some_and(|time| time <= now) {
                drop(state);
                self.ring(world, now);
                continue;
            }
            if state.runs && now >= turn {
                turn = now + TURN;
                drop(state);
                world.end_times();
                continue;
            }
            let turn = state.runs.then_some(turn);
            match due.into_iter().chain(turn).min() {
                Some(time) => drop(self.sooner.wait_timeout(state, time - now)),
                None => drop(self.sooner.wait(state)),
            }
        }
    }

    /// Gives permits to the threads whose alarms are due.
    fn ring(&self, world: &World, now: Instant) {
        world.begin();
        let mut state = self.lock();
        while let Some(first) = state.alarms.first_entry()
            && first.key().0 <= now
        {
            let ((_, number), thread) = first.remove_entry();
            state.times.remove(&number);
            // SAFETY: the collector has kept the address of the thread's object up to date, and nothing is collected while this thread
            // counts as running. If the strand was parked, only this thread has it.
            unsafe {
                if let Some(strand) = give_permit(world, thread) {
                    wake::wake_outside(world, strand);
                }
            }
            // Release: pairs with the acquire in `count`.
            self.count.fetch_sub(1, Ordering::Release);
        }
        drop(state);
        world.end();
    }
}
