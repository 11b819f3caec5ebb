//! Alarms and time slices. The thread of the clock sleeps until the next alarm or the end of the next time slice.
//!
//! While the thread of the clock gives permits, it counts as running, so no collection happens. The clock removes an alarm from the list
//! after it has queued the alarm's strand. So if a world has no alarms and no queued entries, and no worker runs, nothing can continue
//! (`stuck.rs`).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::process::ends::fatal;
use crate::state::thread_object::give_permit;
use crate::state::world::World;
use crate::wait::wake;

/// Time for which a strand runs before it yields to other strands that are ready on its worker.
const TURN: Duration = Duration::from_millis(10);

/// Starts the thread of the clock, if the world has none yet.
pub fn start(world: &Arc<World>) {
    // Relaxed: two threads never call this at the same time.
    if world.threads.clock.started.swap(true, Ordering::Relaxed) {
        return;
    }
    let world = world.clone();
    let run = move || run(&world);
    let name = std::thread::Builder::new().name("heist-pml-clock".into());
    if let Err(error) = name.stack_size(256 << 10).spawn(run) {
        fatal(&format!("cannot start the thread of the clock: {error}"));
    }
}

/// Rings alarms and ends time slices, in an endless loop.
fn run(world: &World) {
    let clock = &world.threads.clock;
    let mut turn = Instant::now();
    loop {
        let now = Instant::now();
        let state = clock.lock();
        let due = state.alarms.first_key_value().map(|(key, _)| key.0);
        if due.is_some_and(|time| time <= now) {
            drop(state);
            ring(world, now);
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
            Some(time) => drop(clock.sooner.wait_timeout(state, time - now)),
            None => drop(clock.sooner.wait(state)),
        }
    }
}

/// Gives permits to the threads whose alarms are due.
fn ring(world: &World, now: Instant) {
    let clock = &world.threads.clock;
    world.begin();
    let mut state = clock.lock();
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
        clock.count.fetch_sub(1, Ordering::Release);
    }
    drop(state);
    world.end();
}
