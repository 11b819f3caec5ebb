//! The future of an operation over places.

use std::fmt;
use std::future::Future;
use std::hint;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use crate::place::Place;
use crate::{PlaceError, turn};

/// A future for the outcome of an operation that has begun.
///
/// Async code uses `.await`, which holds no thread while it waits. Any other code calls [`wait`](Waiting::wait). If the
/// `Waiting` is dropped, the operation continues.
#[must_use = "the outcome may be an error"]
pub struct Waiting<T> {
    outcome: Pin<Box<dyn Future<Output = Result<T, PlaceError>> + Send>>,
    place: Arc<Place>,
}

impl<T> Waiting<T> {
    pub(crate) fn new(
        place: &Arc<Place>,
        outcome: impl Future<Output = Result<T, PlaceError>> + Send + 'static,
    ) -> Self {
        Waiting {
            outcome: Box::pin(outcome),
            place: Arc::clone(place),
        }
    }

    /// Waits for the outcome. The thread receives the messages of its place for up to 50 us, because the next message may be the awaited
    /// one. Then it waits by [`heist::block_on`]: while a worker waits, it gives its slot to another thread. If the waits of a place take
    /// longer, its threads receive for a shorter time.
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
        let place = Arc::clone(&self.place);
        let began = Instant::now();
        let patience = place.wait_patience.get();
        loop {
            // The last poll, by `block_on`, leaves a waker.
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(outcome) = self.outcome.as_mut().poll(&mut context) {
                place.wait_patience.learn(began.elapsed());
                return outcome;
            }
            if began.elapsed() >= patience {
                break;
            }
            turn::look(&place);
            hint::spin_loop();
        }
        turn::stop_looking(&place);
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
