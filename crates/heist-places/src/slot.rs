//! Slots: values that one thread sets once, and for which one future waits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

struct State<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// The writing end of a slot, which sets the value once.
pub(crate) struct Setter<T>(Arc<Mutex<State<T>>>);

/// The reading end of a slot: a future for the value.
pub(crate) struct Slot<T>(Arc<Mutex<State<T>>>);

pub(crate) fn slot<T>() -> (Setter<T>, Slot<T>) {
    let state = Arc::new(Mutex::new(State {
        value: None,
        waker: None,
    }));
    (Setter(Arc::clone(&state)), Slot(state))
}

impl<T> Setter<T> {
    pub(crate) fn set(self, value: T) {
        let waker = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.value = Some(value);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Slot<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = state.value.take() {
            return Poll::Ready(value);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
