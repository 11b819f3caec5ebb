//! An event that can always happen, and an event that can never happen.

use super::{Event, Inside, Sealed, Turn, awaitable};
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::Context;

/// The event that [`always`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Always<T> {
    value: Option<T>,
    chosen: bool,
}

/// Returns an event that can happen immediately, with the given value. A choice treats it like any other branch that can happen.
///
/// ```
/// use heist::sync::event::{Event, always};
/// assert_eq!(always("there").sync(), "there");
/// ```
pub fn always<T>(value: T) -> Always<T> {
    Always {
        value: Some(value),
        chosen: false,
    }
}

impl<T> Always<T> {
    fn this(self: Pin<&mut Self>) -> &mut Self {
        // SAFETY: no field is structurally pinned, so a mutable reference to the fields is allowed.
        unsafe { self.get_unchecked_mut() }
    }
}

impl<T> Sealed for Always<T> {}

impl<T> Event for Always<T> {
    type Output = T;

    fn attempt(self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        self.this().chosen = true;
        true
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        self.chosen
    }

    fn output(self: Pin<&mut Self>, _: Inside) -> T {
        let value = self.this().value.take();
        value.unwrap_or_else(|| unreachable!("an event has one result"))
    }
}

/// The event that [`never`](never()) returns.
#[must_use = "an event does nothing before it is synchronised"]
pub struct Never<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for Never<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Never")
    }
}

/// Returns an event that never happens. It is equivalent to a choice among no events.
///
/// ```
/// use heist::sync::event::{Event, always, never};
/// let debug = false;
/// let log = if debug { always("asked").boxed() } else { never().boxed() };
/// assert_eq!(log.or(always("goes on")).sync(), "goes on");
/// ```
pub fn never<T>() -> Never<T> {
    Never(PhantomData)
}

impl<T> Sealed for Never<T> {}

impl<T> Event for Never<T> {
    type Output = T;

    fn weight(&self) -> u32 {
        0
    }

    fn attempt(self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        false
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        false
    }

    fn output(self: Pin<&mut Self>, _: Inside) -> T {
        unreachable!("it never happens")
    }
}

awaitable!([T] Always<T>);
awaitable!([T] Never<T>);
