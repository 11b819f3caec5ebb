//! Events on the heap.

use super::{Choice, Event, Inside, Sealed, Subject, Turn, awaitable};
use std::fmt;
use std::pin::Pin;
use std::task::Context;

/// An event of any type with results of type `T`, on the heap. [`Event::boxed`] returns this event.
#[must_use = "an event does nothing before it is synchronised"]
pub struct BoxEvent<'a, T>(Pin<Box<dyn Event<Output = T> + Send + 'a>>);

impl<T> fmt::Debug for BoxEvent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxEvent(..)")
    }
}

impl<'a, T> BoxEvent<'a, T> {
    pub(super) fn new(event: impl Event<Output = T> + Send + 'a) -> Self {
        BoxEvent(Box::pin(event))
    }

    fn event(self: Pin<&mut Self>) -> Pin<&mut (dyn Event<Output = T> + Send + 'a)> {
        self.get_mut().0.as_mut()
    }
}

impl<T> Sealed for BoxEvent<'_, T> {}

impl<T> Event for BoxEvent<'_, T> {
    type Output = T;

    fn weight(&self) -> u32 {
        self.0.weight()
    }

    fn force(self: Pin<&mut Self>, inside: Inside) {
        self.event().force(inside);
    }

    fn is_foreign(&self) -> bool {
        self.0.is_foreign()
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

    fn output(self: Pin<&mut Self>, inside: Inside) -> T {
        self.event().output(inside)
    }

    fn subject(&self) -> Option<Subject> {
        self.0.subject()
    }
}

awaitable!(['a, T] BoxEvent<'a, T>);
