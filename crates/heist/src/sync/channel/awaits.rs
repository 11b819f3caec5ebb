//! Futures that send and receive, for async code.

use super::{Receive, RecvError, Send, SendError};
use crate::sync::monitor::Wait;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future that [`Sender::send_async`](super::Sender::send_async) returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Sending<'a, T>(pub(super) Wait<Send<'a, T>>);

impl<T> Future for Sending<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}

/// The future that [`Receiver::recv_async`](super::Receiver::recv_async) returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Receiving<'a, T>(pub(super) Wait<Receive<'a, T>>);

impl<T> Future for Receiving<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}
