//! Handles the events that a place receives: passes them to the tables and the pool.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use crate::activity::{Activity, Conclusion, Origin};
use crate::place::{Place, Running};
use crate::task::entry;
use crate::transport::Event;
use crate::wire::Message;
use crate::{PlaceError, World};

/// Handles an event. Adds a task that the pool must run to `tasks`. Returns false if the transport is closed.
pub(crate) fn handle(place: &Arc<Place>, event: Event, tasks: &mut Vec<Pin<Box<Running>>>) -> bool {
    match event {
        Event::Frame { from, bytes } => tasks.extend(receive(place, from, &bytes)),
        Event::Down(other) => down(place, other),
        Event::Closed => return false,
    }
    if place.gone_places() + 1 >= place.places {
        place.departure.announce();
    }
    true
}

pub(crate) fn down(place: &Arc<Place>, other: usize) {
    place.down(other);
    place.gone(
        other,
        PlaceError::Lost {
            place: other,
            tasks: 0,
        },
    );
}

fn receive(place: &Arc<Place>, from: usize, bytes: &[u8]) -> Option<Pin<Box<Running>>> {
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
            return start(place, &activity, kind, rest);
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
    None
}

fn start(
    place: &Arc<Place>,
    activity: &Arc<Activity>,
    kind: u32,
    arguments: &[u8],
) -> Option<Pin<Box<Running>>> {
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
        unreadable(format!("there is no task type {kind}"));
        return None;
    };
    let world = World::new(Arc::clone(place), Arc::clone(activity));
    let wanted = activity.origin != Origin::Counted;
    // The task's own code decodes the arguments.
    match catch_unwind(AssertUnwindSafe(|| start(world, arguments, wanted))) {
        Ok(Ok(job)) => return place.receive_task(Arc::clone(activity), job, arrival),
        Ok(Err(error)) => unreadable(error.to_string()),
        Err(payload) => {
            let error = PlaceError::of_panic(here, &*payload);
            activity.conclude(place, Conclusion::Failed(error));
        }
    }
    None
}
