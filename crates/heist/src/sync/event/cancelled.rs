//! Events that happen when a token is cancelled.

use super::{Choice, Event, Inside, Sealed, Turn, awaitable};
use crate::cancel::Watch;
use crate::cancellable::CancelToken;
use std::pin::Pin;
use std::task::{Context, Waker};

/// The event that [`CancelToken::cancelled_event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct CancelledEvent {
    token: CancelToken,
    /// The watch over the token; `Some` while the event waits.
    watch: Option<Watch>,
    chosen: bool,
}

impl CancelToken {
    /// Returns an [event](crate::sync::event) that happens when the token's scope, or a scope around it, is cancelled. The waiter
    /// need not belong to the work that the token cancels.
    ///
    /// ```
    /// use heist::CancelToken;
    /// use heist::sync::event::Event;
    /// let (_send, jobs) = heist::sync::channel::<u32>(1);
    /// let token = CancelToken::new();
    /// let stop = token.clone();
    /// let other = std::thread::spawn(move || stop.cancel());
    /// let job = jobs.recv_event().wrap(Result::ok).or(token.cancelled_event().wrap(|()| None));
    /// assert_eq!(job.sync(), None);
    /// other.join().unwrap();
    /// ```
    pub fn cancelled_event(&self) -> CancelledEvent {
        CancelledEvent {
            token: self.clone(),
            watch: None,
            chosen: false,
        }
    }
}

impl Sealed for CancelledEvent {}

impl Event for CancelledEvent {
    type Output = ();

    fn attempt(mut self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        // `Watch::of` takes the lock under which the token was cancelled, so this thread sees all earlier writes of the cancelling
        // thread.
        let cancelled = || Watch::of(self.token.node(), Waker::noop()).is_none();
        self.chosen = self.token.is_cancelled() && cancelled();
        self.chosen
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.look(choice, context)
    }

    fn look(mut self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        // The newer waker is stored before the check, so it is called if the token is cancelled afterwards.
        self.watch = Watch::of(self.token.node(), context.waker());
        if self.watch.is_some() {
            return false;
        }
        if choice.claim() {
            choice.decide(Choice::BY_ITSELF);
            self.chosen = true;
        }
        true
    }

    fn withdraw(mut self: Pin<&mut Self>, _: Inside) {
        self.watch = None;
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        self.chosen
    }

    fn output(self: Pin<&mut Self>, _: Inside) {}
}

awaitable!([] CancelledEvent);
