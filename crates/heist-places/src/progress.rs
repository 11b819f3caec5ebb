//! The progress thread, which receives the messages of a place while no other thread does.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::finish::Finishes;
use crate::place::{Place, lock};
use crate::receive::down;
use crate::transport::Event;
use crate::turn::MOST_LOOKS;

/// A signal from the progress thread to the main thread that no other place is left to serve.
#[derive(Default)]
pub(crate) struct Departure {
    all_gone: Mutex<bool>,
    changed: Condvar,
}

impl Departure {
    pub(crate) fn wait(&self) {
        let mut gone = lock(&self.all_gone);
        while !*gone {
            gone = self
                .changed
                .wait(gone)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    pub(crate) fn announce(&self) {
        *lock(&self.all_gone) = true;
        self.changed.notify_all();
    }
}

/// Handles events until the transport is closed. After this function has returned or panicked, no task of this place waits for another
/// place.
///
/// # Panics
/// Panics if the transport panics.
pub(crate) fn run(place: &Arc<Place>) {
    let served = catch_unwind(AssertUnwindSafe(|| serve(place)));
    place.step(Finishes::release);
    // Treat all other places as dead, so that tasks that still wait for them do not wait forever.
    for other in (0..place.places).filter(|other| *other != place.here) {
        down(place, other);
    }
    place.departure.announce();
    if let Err(payload) = served {
        // Close the transport, because otherwise the other places would wait for this place forever, too.
        place.transport.close();
        resume_unwind(payload);
    }
}

fn serve(place: &Arc<Place>) {
    if place.places == 1 {
        place.departure.announce();
    }
    let turns = &place.turns;
    turns.begin();
    let mut patience = Patience(MOST_LOOKS);
    loop {
        let mut turn = turns.take_back();
        turn.handle_arrived(place);
        match turn.end() {
            None => {}
            Some(Ok(())) => return,
            Some(Err(payload)) => resume_unwind(payload),
        }
        let (looks, is_idle) = (turns.looks(), turn.is_idle());
        turns.put(turn);
        if !is_idle || patience.look(place, looks) {
            continue;
        }
        if turns.looks() != looks {
            turns.rest();
            continue;
        }
        let mut turn = turns.take_back();
        // If another thread had the turn meanwhile, that thread may also find the next event.
        if turns.looks() == looks && turn.is_idle() {
            turn.event = patience.sleep(place);
        }
        turns.put(turn);
    }
}

/// The time for which the progress thread looks for events before it sleeps. This time is [`MOST_LOOKS`] after a successful look, and after
/// a sleep of less than twice `MOST_LOOKS`. Each longer sleep halves this time.
struct Patience(Duration);

impl Patience {
    /// Looks for an event, until one has arrived or another thread looks for events. Returns true if an event has arrived. `looks` is the
    /// number of looks of other threads so far.
    ///
    /// While the thread looks for the event, it yields, because the worker that sends the next message may need this processor. If the
    /// processors are busy, a yield may last for the time slice of another thread, whereas the arrival of an event ends a sleep at once. So
    /// after a long yield, the thread goes to sleep without looking for events, until one of its sleeps is short again.
    fn look(&mut self, place: &Place, looks: usize) -> bool {
        let began = Instant::now();
        while began.elapsed() < self.0 && place.turns.looks() == looks {
            if let Some(mut turn) = place.turns.take_free() {
                turn.event = turn.next(place);
                let found = turn.event.is_some();
                place.turns.put(turn);
                if found {
                    self.0 = MOST_LOOKS;
                    return true;
                }
            }
            thread::yield_now();
        }
        if began.elapsed() > 2 * MOST_LOOKS {
            self.0 = Duration::ZERO;
        }
        false
    }

    /// Sleeps until an event arrives.
    fn sleep(&mut self, place: &Place) -> Option<Event> {
        let began = Instant::now();
        let event = place.transport.next(true);
        self.0 = if began.elapsed() < 2 * MOST_LOOKS {
            MOST_LOOKS
        } else {
            self.0 / 2
        };
        event
    }
}
