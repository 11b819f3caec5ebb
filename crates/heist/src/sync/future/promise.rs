//! Promises: futures whose value a program sets by hand.

use super::Future;
use super::later::Later;
use crate::suspend::Handle;
use std::fmt;
use std::panic::Location;

/// A handle that sets the value of a [`Future`], once.
///
/// ```
/// let (promise, future) = heist::sync::promise();
/// std::thread::spawn(move || promise.set("from outside"));
/// assert_eq!(*future.get(), "from outside");
/// ```
///
/// Dropping a promise without setting it breaks it. A reader of the value then panics with a message that says where the promise
/// was made.
#[derive(Debug)]
#[must_use = "a promise that is dropped breaks"]
pub struct Promise<T> {
    result: Option<Handle<Later<T>>>,
}

/// The panic message of a reader of a value whose promise was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    made: &'static Location<'static>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "heist: the promise made at {} was dropped without a value",
            self.made
        )
    }
}

impl std::error::Error for Broken {}

/// Creates a promise and the future of its value.
#[track_caller]
pub fn promise<T>() -> (Promise<T>, Future<T>) {
    let result = Handle::without_task(Later::new(), Location::caller());
    let promise = Promise {
        result: Some(result.clone()),
    };
    (promise, Future::new(result))
}

impl<T> Promise<T> {
    /// Sets the value, and wakes all waiters.
    pub fn set(mut self, value: T) {
        if let Some(result) = self.result.take() {
            // SAFETY: this is the only call, because `set` consumes the promise and has taken its `result`.
            unsafe { result.set(Ok(value)) };
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        if let Some(result) = self.result.take() {
            let broken = Broken {
                made: result.origin(),
            };
            // SAFETY: this is the only call, because a promise is dropped once, and `set` has not taken its `result`.
            unsafe { result.set(Err(super::Panic::new(Box::new(broken.to_string())))) };
        }
    }
}
