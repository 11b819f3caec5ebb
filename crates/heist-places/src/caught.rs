//! Futures that return their panics as values.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future for the output of another future, or for the payload of its panic. The caller must not poll this future again after it has
/// returned ready.
pub(crate) struct Caught<T>(Pin<Box<dyn Future<Output = T> + Send>>);

impl<T> Caught<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Caught(Box::pin(future))
    }
}

impl<T> Future for Caught<T> {
    type Output = Result<T, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(payload) => Poll::Ready(Err(payload)),
        }
    }
}
