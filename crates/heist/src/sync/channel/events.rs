//! Sends and receives as events.

use super::{Receive, Receiver, RecvError, Send, SendError, Sender};
use crate::sync::event::{Awaiting, newtype};
use std::pin::Pin;

/// The event that [`Receiver::recv_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct ReceiveEvent<'a, T>(Awaiting<Receive<'a, T>>);

impl<'a, T> ReceiveEvent<'a, T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Receive<'a, T>>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!(['a, T] ReceiveEvent<'a, T>, Result<T, RecvError>);

/// The event that [`Sender::send_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct SendEvent<'a, T>(Awaiting<Send<'a, T>>);

impl<'a, T> SendEvent<'a, T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Send<'a, T>>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!(['a, T] SendEvent<'a, T>, Result<(), SendError<T>>);

impl<T> Receiver<T> {
    /// Returns an [event](crate::sync::event) that receives a value. The event also happens when all senders are gone and all their
    /// values have been received.
    ///
    /// ```
    /// use heist::sync::channel;
    /// use heist::sync::event::Event;
    /// let (send_left, left) = channel(1);
    /// let (_send_right, right) = channel::<u32>(1);
    /// send_left.send(1).unwrap();
    /// assert_eq!(left.recv_event().or(right.recv_event()).sync(), Ok(1));
    /// ```
    #[inline]
    pub fn recv_event(&self) -> ReceiveEvent<'_, T> {
        ReceiveEvent(Awaiting::new(self.question()))
    }
}

impl<T> Sender<T> {
    /// Returns an [event](crate::sync::event) that sends `value`. If all receivers are gone, the event also happens, and returns the value
    /// as an error. If the event is not chosen, the value is dropped together with the event.
    ///
    /// ```
    /// use heist::sync::channel;
    /// use heist::sync::event::{Event, always};
    /// let (send, recv) = channel(1);
    /// send.send_event(1).sync().unwrap();
    /// let full = send.send_event(2).or(always(Ok(()))); // the channel is full
    /// full.sync().unwrap();
    /// assert_eq!(recv.recv(), Ok(1));
    /// assert!(recv.try_recv().is_err());
    /// ```
    #[inline]
    pub fn send_event(&self, value: T) -> SendEvent<'_, T> {
        SendEvent(Awaiting::new(Send {
            channel: &self.channel,
            value: Some(value),
        }))
    }
}
