//! The future of an operation over places.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::PlaceError;

/// A future for the outcome of an operation that has begun.
///
/// Async code uses `.await`, which holds no thread while it waits. Any other code calls [`wait`](Waiting::wait). If the
/// `Waiting` is dropped, the operation continues.
#[must_use = "the outcome may be an error"]
pub struct Waiting<T>(Pin<Box<dyn Future<Output = Result<T, PlaceError>> + Send>>);

impl<T> Waiting<T> {
    pub(crate) fn new(
        future: impl Future<Output = Result<T, PlaceError>> + Send + 'static,
    ) -> Self {
        Waiting(Box::pin(future))
    }

    /// Waits for the outcome, through [`heist::block_on`]: a worker gives its slot to another thread while it waits.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(2).run(|world| world.barrier().wait());
    /// assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(Ok(())))));
    /// ```
    ///
    /// # Errors
    /// Returns the error of the operation.
    pub fn wait(self) -> Result<T, PlaceError> {
        heist::block_on(self)
    }
}

impl<T> Future for Waiting<T> {
    type Output = Result<T, PlaceError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl<T> fmt::Debug for Waiting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waiting")
    }
}
