//! Waits of threads that are not workers.

use super::seat::{Awaited, Seat};
use crate::platform::{ForkGeneration, PerProcess, is_initial_thread};
use std::cell::OnceCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The time that the initial thread waits before its first look for a deadlock, and the time between later looks.
const WATCH: (Duration, Duration) = (Duration::from_millis(250), Duration::from_millis(450));

/// The `Seat` of a thread that is not a worker.
#[derive(Debug)]
pub(crate) struct OutsideSeat {
    pub(crate) seat: Seat,
    pub(crate) thread: Thread,
    /// True for the initial thread of the process.
    is_initial: bool,
    generation: ForkGeneration,
}

/// The seats of all threads that have ever waited. If only the list of seats refers to a seat, the seat's thread has ended.
static SEATS: PerProcess<Mutex<Vec<Arc<OutsideSeat>>>> = PerProcess::new();
/// The function that the initial thread calls at intervals while it waits.
static LOOK: OnceLock<fn()> = OnceLock::new();

thread_local! {
    static OWN: OnceCell<Arc<OutsideSeat>> = const { OnceCell::new() };
}

impl OutsideSeat {
    fn enlist() -> Arc<Self> {
        let seat = Arc::new(OutsideSeat {
            seat: Seat::default(),
            thread: thread::current(),
            is_initial: is_initial_thread(),
            generation: ForkGeneration::current(),
        });
        let mut seats = SEATS.get().lock().unwrap_or_else(PoisonError::into_inner);
        if seats.len() == seats.capacity() {
            seats.retain(|seat| Arc::strong_count(seat) > 1);
        }
        seats.push(Arc::clone(&seat));
        seat
    }

    /// Returns the seat of the current thread.
    fn own() -> Arc<Self> {
        // While the thread's local storage is being destroyed, each wait uses a new seat.
        let own = OWN.try_with(|own| Arc::clone(own.get_or_init(OutsideSeat::enlist)));
        own.ok()
            .filter(|seat| seat.generation.is_current())
            .unwrap_or_else(OutsideSeat::enlist)
    }
}

/// Returns the seats of those threads of this process that have waited and are not workers.
pub(crate) fn outside_seats() -> Vec<Arc<OutsideSeat>> {
    let seats = SEATS.get().lock().unwrap_or_else(PoisonError::into_inner);
    seats.clone()
}

/// Makes the initial thread call `look` at intervals while this thread waits in [`wait_outside`]. `look` must not unwind.
pub(crate) fn set_watch(look: fn()) {
    // All callers set the same function.
    let _ = LOOK.set(look);
}

/// Waits on a thread that is not a worker.
#[cold]
pub(crate) fn wait_outside(awaited: &dyn Awaited) {
    if awaited.is_done() {
        return;
    }
    let own = OutsideSeat::own();
    own.seat.during(awaited, || {
        own.seat.settle();
        let mut nap = WATCH.0;
        let mut since = Instant::now();
        while !awaited.is_done() {
            if !own.is_initial {
                thread::park();
                continue;
            }
            thread::park_timeout(nap.saturating_sub(since.elapsed()));
            if since.elapsed() >= nap && !awaited.is_done() {
                if let Some(look) = LOOK.get() {
                    look();
                }
                (nap, since) = (WATCH.1, Instant::now());
            }
        }
    });
}
