//! Events that apply a function to the result of another event.

use super::{Choice, Event, Inside, Sealed, Subject, Turn, awaitable};
use std::fmt;
use std::pin::Pin;
use std::task::Context;

/// The event that [`Event::wrap`] returns.
#[must_use = "an event does nothing before it is synchronised"]
pub struct Wrap<E, F> {
    event: E,
    function: Option<F>,
}

impl<E: fmt::Debug, F> fmt::Debug for Wrap<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Wrap").field(&self.event).finish()
    }
}

impl<E, F> Wrap<E, F> {
    pub(super) fn new(event: E, function: F) -> Self {
        Wrap {
            event,
            function: Some(function),
        }
    }

    fn event(self: Pin<&mut Self>) -> Pin<&mut E> {
        // SAFETY: the event is a field of the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.event) }
    }
}

impl<E, F> Sealed for Wrap<E, F> {}

impl<E: Event, F: FnOnce(E::Output) -> R, R> Event for Wrap<E, F> {
    type Output = R;

    fn weight(&self) -> u32 {
        self.event.weight()
    }

    fn force(self: Pin<&mut Self>, inside: Inside) {
        self.event().force(inside);
    }

    fn is_foreign(&self) -> bool {
        self.event.is_foreign()
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

    fn output(mut self: Pin<&mut Self>, inside: Inside) -> R {
        let output = self.as_mut().event().output(inside);
        // SAFETY: the function is not structurally pinned, and the event is not moved.
        let function = unsafe { self.get_unchecked_mut() }.function.take();
        let function = function.unwrap_or_else(|| unreachable!("an event has one result"));
        function(output)
    }

    fn subject(&self) -> Option<Subject> {
        self.event.subject()
    }
}

awaitable!([E, F] Wrap<E, F>);
