//! The future of an operation over places.

use std::fmt;
use std::future::Future;
use std::hint;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use crate::PlaceError;
use crate::place::Place;
use crate::turn::{self, Look};

/// A future for the outcome of an operation that has begun.
///
/// Async code uses `.await`, which occupies no thread during the wait. Any other code calls [`wait`](Waiting::wait). If the `Waiting` is
/// dropped, the operation continues.
#[must_use = "the outcome may be an error"]
pub struct Waiting<T> {
    outcome: Pin<Box<dyn Future<Output = Result<T, PlaceError>> + Send>>,
    /// The place at which the outcome arrives, if another place sends it.
    awaits_message: Option<Arc<Place>>,
}

impl<T> Waiting<T> {
    pub(crate) fn new(
        outcome: impl Future<Output = Result<T, PlaceError>> + Send + 'static,
    ) -> Self {
        Waiting {
            outcome: Box::pin(outcome),
            awaits_message: None,
        }
    }

    /// Creates the future of an outcome that another place sends to this place in a message.
    pub(crate) fn for_message(
        place: &Arc<Place>,
        outcome: impl Future<Output = Result<T, PlaceError>> + Send + 'static,
    ) -> Self {
        Waiting {
            outcome: Box::pin(outcome),
            awaits_message: Some(Arc::clone(place)),
        }
    }

    /// Waits for the outcome, by [`heist::block_on`]: while a worker waits, it gives its slot to another thread. If another place sends the
    /// outcome, the thread first looks for messages itself for up to 50 us, unless a task arrives.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(2).run(|world| world.barrier().wait());
    /// assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(Ok(())))));
    /// ```
    ///
    /// # Errors
    /// Returns the error of the operation.
    pub fn wait(mut self) -> Result<T, PlaceError> {
        let Some(place) = self.awaits_message.take() else {
            return heist::block_on(self);
        };
        let began = Instant::now();
        let patience = place.wait_patience.get();
        let mut has_looked = false;
        while began.elapsed() < patience {
            // This poll need not leave a waker, because `block_on` polls the future again.
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(outcome) = self.outcome.as_mut().poll(&mut context) {
                place.wait_patience.learn(began.elapsed());
                return outcome;
            }
            let look = turn::look(&place);
            has_looked |= look != Look::Busy;
            if look == Look::Task {
                break;
            }
            hint::spin_loop();
        }
        if has_looked {
            turn::stop_looking(&place);
        }
        let outcome = heist::block_on(self);
        place.wait_patience.learn(began.elapsed());
        outcome
    }
}

impl<T> Future for Waiting<T> {
    type Output = Result<T, PlaceError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.outcome.as_mut().poll(context)
    }
}

impl<T> fmt::Debug for Waiting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waiting")
    }
}
