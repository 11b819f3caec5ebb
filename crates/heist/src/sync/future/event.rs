//! The values of futures as events.

use super::later::{Get, Owned};
use super::{Future, value_or_panic};
use crate::sync::event::{Awaiting, newtype};
use std::pin::Pin;

/// The event that [`Future::get_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct GetEvent<'a, T>(Awaiting<Get<'a, T>>);

impl<'a, T> GetEvent<'a, T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Get<'a, T>>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!(['a, T] GetEvent<'a, T>, &'a T, |inner, inside| {
    let handle = inner.condition().0;
    inner.output(inside);
    value_or_panic(handle.expect_there())
});

/// The event that [`Future::into_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct TakeEvent<T>(Awaiting<Owned<T>>);

impl<T> TakeEvent<T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Owned<T>>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!([T: Clone] TakeEvent<T>, T, |inner, inside| {
    let mut inner = inner;
    inner.as_mut().output(inside);
    value_or_panic(inner.condition().outcome()).clone()
});

impl<T> Future<T> {
    /// Returns an [event](crate::sync::event) that happens when the value is ready. Unlike [`get`](Self::get), the event does not
    /// run the task in place.
    ///
    /// ```
    /// use heist::sync::event::{Event, after};
    /// use std::time::Duration;
    /// let answer = heist::sync::future(|| 6 * 7);
    /// let in_time = answer.get_event().wrap(Some).or(after(Duration::from_secs(60)).wrap(|()| None));
    /// assert_eq!(in_time.sync(), Some(&42));
    /// ```
    ///
    /// # Panics
    /// Synchronising the event panics if the task has panicked and this event is chosen.
    pub fn get_event(&self) -> GetEvent<'_, T> {
        GetEvent(Awaiting::new(Get(&self.0)))
    }

    /// Returns an [event](crate::sync::event) that happens when the value is ready. The event owns the future, and its result is a
    /// clone of the value.
    ///
    /// ```
    /// use heist::sync::event::{Event, choose};
    /// use heist::sync::future;
    /// let first = choose((1..4).map(|n| future(move || n * 10).into_event()));
    /// assert_eq!(first.sync() % 10, 0);
    /// ```
    ///
    /// # Panics
    /// Panics like [`get_event`](Self::get_event).
    pub fn into_event(self) -> TakeEvent<T>
    where
        T: Clone,
    {
        TakeEvent(Awaiting::new(Owned(self.0)))
    }
}
