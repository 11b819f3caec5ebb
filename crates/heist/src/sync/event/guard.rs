//! Events that are created when they are synchronised.

use super::{Choice, Event, Inside, Sealed, Subject, Turn, awaitable};
use std::fmt;
use std::pin::Pin;
use std::task::Context;

/// The event that [`guard`] returns.
#[must_use = "an event does nothing before it is synchronised"]
pub struct Guard<F, E> {
    make: Option<F>,
    event: Option<E>,
}

impl<F, E> fmt::Debug for Guard<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("made", &self.event.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns an event that `make` creates at each synchronisation, on the thread that synchronises. Use it to read a clock, or to
/// send a request before waiting for the answer. `make` may wait. It is called once for each synchronisation, whether or not the
/// event is chosen. If `make` needs to know that its event was not chosen, use [`with_nack`](super::with_nack).
///
/// If `make` panics, the synchronisation panics, before any branch has been chosen.
///
/// ```
/// use heist::sync::event::{Event, always, guard};
/// let event = guard(|| always(std::thread::current().id()));
/// assert_eq!(event.sync(), std::thread::current().id());
/// ```
pub fn guard<F: FnOnce() -> E, E: Event>(make: F) -> Guard<F, E> {
    Guard {
        make: Some(make),
        event: None,
    }
}

impl<F, E> Guard<F, E> {
    fn event(self: Pin<&mut Self>) -> Pin<&mut E> {
        // SAFETY: the event is a field of the pinned `self`, and is not moved after it has been created.
        let event = unsafe { self.map_unchecked_mut(|this| &mut this.event) };
        event
            .as_pin_mut()
            .unwrap_or_else(|| unreachable!("forced first"))
    }
}

impl<F, E> Sealed for Guard<F, E> {}

impl<F: FnOnce() -> E, E: Event> Event for Guard<F, E> {
    type Output = E::Output;

    fn weight(&self) -> u32 {
        self.event.as_ref().map_or(1, E::weight)
    }

    fn force(mut self: Pin<&mut Self>, inside: Inside) {
        // SAFETY: `make` is not structurally pinned, and the event does not exist yet, so nothing pinned is moved.
        let this = unsafe { self.as_mut().get_unchecked_mut() };
        if let Some(make) = this.make.take() {
            this.event = Some(make());
        }
        self.event().force(inside);
    }

    fn is_foreign(&self) -> bool {
        self.event.as_ref().is_some_and(E::is_foreign)
    }

    fn attempt(self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        self.event().attempt(turn, context)
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.event().enlist(choice, context)
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.event().look(choice, context)
    }

    fn withdraw(self: Pin<&mut Self>, inside: Inside) {
        self.event().withdraw(inside);
    }

    fn settle(self: Pin<&mut Self>, inside: Inside) -> bool {
        self.event().settle(inside)
    }

    fn output(self: Pin<&mut Self>, inside: Inside) -> E::Output {
        self.event().output(inside)
    }

    fn subject(&self) -> Option<Subject> {
        self.event.as_ref().and_then(E::subject)
    }
}

awaitable!([F, E] Guard<F, E>);
