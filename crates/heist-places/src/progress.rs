//! The progress thread, which receives the messages of a place, and passes them to the tables and the pool.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::activity::{Activity, Conclusion, Origin};
use crate::finish::Finishes;
use crate::place::{Place, lock};
use crate::task::entry;
use crate::transport::Event;
use crate::wire::Message;
use crate::{PlaceError, World};

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

    fn announce(&self) {
        *lock(&self.all_gone) = true;
        self.changed.notify_all();
    }
}

/// Handles events until the transport is closed. After this function has returned or panicked, no task of this place waits for another
/// place.
///
/// # Panics
/// Panics if the transport panics.
pub(crate) fn run(place: &Arc<Place>, departure: &Departure) {
    let served = catch_unwind(AssertUnwindSafe(|| serve(place, departure)));
    place.step(Finishes::release);
    // Treat all other places as dead, so that tasks that still wait for them do not wait forever.
    for other in (0..place.places).filter(|other| *other != place.here) {
        down(place, other);
    }
    departure.announce();
    if let Err(payload) = served {
        // The other places would wait for this place forever, too.
        place.transport.close();
        resume_unwind(payload);
    }
}

fn serve(place: &Arc<Place>, departure: &Departure) {
    if place.places == 1 {
        departure.announce();
    }
    // The time at which the thread began to hold reports back.
    let mut held: Option<Instant> = None;
    let mut patience = Patience(MOST_LOOKS);
    loop {
        if held.is_some_and(|since| since.elapsed() > MOST_HOLD) {
            held = None;
            place.step(Finishes::release);
        }
        let event = match place.transport.next(false) {
            Some(event) => {
                if held.is_none() {
                    held = Some(Instant::now());
                    place.hold_reports();
                }
                Some(event)
            }
            None => {
                if held.take().is_some() {
                    place.step(Finishes::release);
                }
                patience.next(place)
            }
        };
        let Some(event) = event else {
            continue;
        };
        match event {
            Event::Frame { from, bytes } => receive(place, from, &bytes),
            Event::Down(other) => down(place, other),
            Event::Closed => break,
        }
        if place.gone_places() + 1 >= place.places {
            departure.announce();
        }
    }
}

/// The longest time for which the progress thread looks for events before it sleeps. A wake-up takes 5 to 50 us.
const MOST_LOOKS: Duration = Duration::from_micros(50);

/// The longest time for which the progress thread holds reports back while further events arrive.
const MOST_HOLD: Duration = Duration::from_micros(100);

/// The time for which the progress thread looks for events before it sleeps. This time is [`MOST_LOOKS`] after a successful look and after a
/// sleep of less than twice that time. Each longer sleep halves it.
struct Patience(Duration);

impl Patience {
    /// Returns the next event.
    ///
    /// While the thread looks for the event, it yields, because the worker that sends the next message may need this processor. If the
    /// processors are busy, a yield may last for the time slice of another thread, whereas the arrival of an event ends a sleep at once. So
    /// after a long yield, the thread sleeps without a look until an event ends a short sleep.
    fn next(&mut self, place: &Place) -> Option<Event> {
        let began = Instant::now();
        while began.elapsed() < self.0 {
            if let Some(event) = place.transport.next(false) {
                self.0 = MOST_LOOKS;
                return Some(event);
            }
            thread::yield_now();
        }
        if began.elapsed() > 2 * MOST_LOOKS {
            self.0 = Duration::ZERO;
        }
        let sleep = Instant::now();
        let event = place.transport.next(true);
        self.0 = if sleep.elapsed() < 2 * MOST_LOOKS {
            MOST_LOOKS
        } else {
            self.0 / 2
        };
        event
    }
}

fn down(place: &Arc<Place>, other: usize) {
    place.down(other);
    place.gone(
        other,
        PlaceError::Lost {
            place: other,
            tasks: 0,
        },
    );
}

fn receive(place: &Arc<Place>, from: usize, bytes: &[u8]) {
    let (message, rest) = match postcard::take_from_bytes::<Message>(bytes) {
        Ok(read) => read,
        Err(error) => {
            // The content of this message is lost, so this place cannot continue.
            panic!(
                "heist-places: place {} cannot read a message of place {from}: {error}",
                place.here
            );
        }
    };
    match message {
        Message::Task {
            kind,
            finish,
            position,
            ticket,
        } => {
            let origin = match ticket {
                None => {
                    place.count_arrival(finish, from);
                    Origin::Counted
                }
                Some(ticket) => {
                    place.count_visit(finish);
                    Origin::Visit {
                        caller: from,
                        ticket,
                    }
                }
            };
            let activity = Activity::new(finish, origin, position);
            start(place, &activity, kind, rest);
        }
        Message::Reply { ticket, error } => {
            place.answer(ticket, error.map_or_else(|| Ok(rest.to_vec()), Err));
        }
        Message::Report {
            finish,
            report,
            acknowledge,
        } => {
            place.step(|finishes| finishes.receive_report(from, finish, report));
            if let Some(number) = acknowledge {
                place.send(from, &Message::Acknowledged(number));
            }
        }
        Message::Acknowledged(number) => place.acknowledged(number),
        Message::Probe { finish, dead } => place.step(|finishes| finishes.probe(finish, dead)),
        Message::Contribute { operation } => place.contributed(from, operation, rest.to_vec()),
        Message::Outcome { operation, error } => {
            place.outcome_arrived(operation, error.map_or_else(|| Ok(rest.to_vec()), Err));
        }
        Message::Leaving => place.gone(from, PlaceError::Left { place: from }),
    }
}

fn start(place: &Arc<Place>, activity: &Arc<Activity>, kind: u32, arguments: &[u8]) {
    let here = place.here;
    let unreadable = |message: String| {
        activity.conclude(
            place,
            Conclusion::Failed(PlaceError::Unreadable {
                place: here,
                message,
            }),
        );
    };
    let Some((arrival, start)) = entry(kind) else {
        return unreadable(format!("there is no task type {kind}"));
    };
    let world = World::new(Arc::clone(place), Arc::clone(activity));
    let wanted = activity.origin != Origin::Counted;
    // The task's own code decodes the arguments.
    match catch_unwind(AssertUnwindSafe(|| start(world, arguments, wanted))) {
        Ok(Ok(job)) => place.launch(Arc::clone(activity), job, arrival),
        Ok(Err(error)) => unreadable(error.to_string()),
        Err(payload) => {
            let error = PlaceError::of_panic(here, &*payload);
            activity.conclude(place, Conclusion::Failed(error));
        }
    }
}
