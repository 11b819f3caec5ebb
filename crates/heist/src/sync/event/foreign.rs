//! Futures as events.

use super::{Event, Inside, Sealed, Turn, awaitable};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The event that [`from_future`] returns.
#[must_use = "an event does nothing before it is synchronised"]
pub struct FromFuture<F: Future> {
    future: F,
    output: Option<F::Output>,
}

impl<F: Future> fmt::Debug for FromFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFuture")
            .field("ready", &self.output.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns an event that happens when `future` is ready. The result of the event is the future's output. The future may be of any
/// kind, such as a [`JoinHandle`](crate::JoinHandle) or a future of another library. The thread or task that synchronises the event
/// polls the future, from the beginning of the synchronisation. If the event is not chosen, the future is dropped when the
/// synchronisation ends.
///
/// An output is never lost, because the future is polled only while no other thread can decide the choice. So a choice with a foreign
/// future leaves the queues of all other branches at each wake-up. The choice then joins these queues again at their ends.
///
/// ```
/// use heist::sync::Rendezvous;
/// use heist::sync::event::{Event, from_future};
/// let quit = Rendezvous::new();
/// let task = heist::spawn(|| 6 * 7); // its handle is a future
/// let end = from_future(task).wrap(Result::ok).or(quit.recv_event().wrap(|()| None));
/// assert_eq!(end.sync(), Some(42));
/// ```
pub fn from_future<F: IntoFuture>(future: F) -> FromFuture<F::IntoFuture> {
    FromFuture {
        future: future.into_future(),
        output: None,
    }
}

impl<F: Future> Sealed for FromFuture<F> {}

impl<F: Future> Event for FromFuture<F> {
    type Output = F::Output;

    fn is_foreign(&self) -> bool {
        true
    }

    fn attempt(self: Pin<&mut Self>, _: Turn, context: &mut Context<'_>) -> bool {
        // SAFETY: this function does not move the future, and the output is not structurally pinned.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the future is a field of the pinned `self`, and does not move before it is dropped in place.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        match future.poll(context) {
            Poll::Ready(output) => {
                this.output = Some(output);
                true
            }
            Poll::Pending => false,
        }
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        self.output.is_some()
    }

    fn output(self: Pin<&mut Self>, _: Inside) -> F::Output {
        // SAFETY: the output is not structurally pinned, and the future is not moved.
        let output = unsafe { self.get_unchecked_mut() }.output.take();
        output.unwrap_or_else(|| unreachable!("asked of the branch that was chosen"))
    }
}

awaitable!([F: Future] FromFuture<F>);
