//! Requests for permits as events.

use super::{Acquire, Permits, Semaphore};
use crate::sync::event::{Awaiting, newtype};
use std::pin::Pin;

/// The event that [`Semaphore::acquire_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct AcquireEvent<'a>(Awaiting<Acquire<'a>>);

impl<'a> AcquireEvent<'a> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Acquire<'a>>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!(['a] AcquireEvent<'a>, Permits<'a>);

impl Semaphore {
    /// Returns an [event](crate::sync::event) that takes `count` permits.
    ///
    /// ```
    /// use heist::sync::Semaphore;
    /// use heist::sync::event::{Event, always};
    /// let (left, right) = (Semaphore::new(0), Semaphore::new(1));
    /// let permit = left.acquire_event(1).or(right.acquire_event(1)).sync();
    /// assert_eq!(right.available(), 0);
    /// drop(permit);
    /// let none = left.acquire_event(1).wrap(Some).or(always(None)).sync();
    /// assert!(none.is_none());
    /// ```
    pub fn acquire_event(&self, count: usize) -> AcquireEvent<'_> {
        AcquireEvent(Awaiting::new(Acquire {
            semaphore: self,
            count,
        }))
    }
}
