//! Futures: values that become ready later, for any number of readers.

mod event;
mod later;
mod promise;
mod spawn;

pub use event::{GetEvent, TakeEvent};
pub use promise::{Broken, Promise, promise};
pub use spawn::{future, spawn_async, spawn_fiber, spawn_named_fiber};

use super::monitor::Wait;
use crate::suspend::{Handle, InPlace, is_listened_to, offer};
use crate::task::Payload;
use crate::timer::Elapsed;
pub(super) use later::Owned;
use later::{Get, Later};
use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

/// A value for any number of readers. The value is set once: a task computes it, or a promise sets it.
///
/// This type is the *future* of Habanero Java (Imam and Sarkar, *A case for cooperative scheduling in X10's managed runtime*, X10
/// 2014, section 2). Any number of tasks may wait for a future, and no waiting task occupies a thread. Handles are cheap to clone.
/// The value lives until the last handle is dropped.
///
/// ```
/// use heist::sync::future;
///
/// let six = future(|| 6);
/// let seven = future(|| 7);
/// let answer = future({
///     let (six, seven) = (six.clone(), seven.clone());
///     move || six.get() * seven.get() // waits for both
/// });
/// assert_eq!(*answer.get(), 42);
/// assert_eq!(*six.get(), 6); // it is still there
/// ```
///
/// In async code, `.await` on `&Future<T>` returns a reference, whereas `.await` on `Future<T>` returns a clone of the value.
///
/// # Panics
/// If the task panics, all readers of its value panic with the same message.
pub struct Future<T>(Handle<Later<T>>);

impl<T> Clone for Future<T> {
    fn clone(&self) -> Self {
        Future(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for Future<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            None => f.write_str("Future(<not there yet>)"),
            Some(Ok(value)) => f.debug_tuple("Future").field(value).finish(),
            Some(Err(_)) => f.write_str("Future(<panicked>)"),
        }
    }
}

// A reference to a future gives access to the same values as an `Arc`, so the bounds are the same.
impl<T: RefUnwindSafe> UnwindSafe for Future<T> {}
impl<T: RefUnwindSafe> RefUnwindSafe for Future<T> {}

impl<T> Future<T> {
    /// Creates a future that is ready.
    #[track_caller]
    pub fn ready(value: T) -> Self {
        Future(Handle::without_task(
            Later::ready(value),
            Location::caller(),
        ))
    }

    /// Returns true if the value is set, or if the task has panicked instead.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the value, if it is set.
    ///
    /// # Panics
    /// Panics if the future's task has panicked.
    #[must_use]
    pub fn try_get(&self) -> Option<&T> {
        self.0.get().map(value_or_panic)
    }

    /// Waits for the value and returns it. In async code, use `.await` instead.
    ///
    /// A fiber is suspended while it waits. Any other code on a worker of the task's pool runs the task itself under two conditions: no
    /// worker has begun the task, and half of the thread's stack is left. If the task has begun and waits for another task, the worker may
    /// run that other task in the same way. If the worker can run neither task, it gives its slot to another thread while it waits. So if
    /// each call of a recursion waits for a future of its own, the recursion needs about as many threads as there are workers. A long chain
    /// of futures may take all spare threads of the pool if each future waits for the previous future. The chain still ends.
    ///
    /// The returned reference lives as long as the handle. [`into_inner`](Self::into_inner) returns the value itself.
    ///
    /// # Panics
    /// Panics if the future's task has panicked.
    #[doc(alias = "join")]
    #[track_caller]
    pub fn get(&self) -> &T {
        if let Some(value) = self.try_get() {
            return value;
        }
        if self.0.run_in_place() {
            if let Some(value) = self.try_get() {
                return value;
            }
        }
        Wait::new(Get(&self.0)).block();
        value_or_panic(self.0.expect_there())
    }

    /// Waits at most `limit` for the value, and returns it. The task continues after a timeout, and this method never runs it in
    /// place.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (promise, answer) = heist::sync::promise();
    /// assert_eq!(answer.get_timeout(Duration::from_millis(1)), Err(heist::Elapsed));
    /// promise.set(7);
    /// assert_eq!(answer.get_timeout(Duration::from_secs(60)), Ok(&7));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the limit passes before the value is ready.
    ///
    /// # Panics
    /// Panics if the future's task has panicked.
    #[track_caller]
    pub fn get_timeout(&self, limit: Duration) -> Result<&T, Elapsed> {
        if let Some(value) = self.try_get() {
            return Ok(value);
        }
        Wait::new(Get(&self.0)).block_for(limit, |_| Elapsed)?;
        Ok(value_or_panic(self.0.expect_there()))
    }

    /// Waits for the value as [`get`](Self::get) does, and returns it by value if this is the only handle.
    ///
    /// ```
    /// let words = heist::spawn_async(async { vec!["work", "stealing"] });
    /// let owned: Vec<&str> = words.into_inner().unwrap();
    /// assert_eq!(owned, ["work", "stealing"]);
    /// ```
    ///
    /// # Errors
    /// Returns this handle if other handles exist. [`get`](Self::get) on the returned handle does not wait. If two
    /// threads call this method on the last two handles at the same time, both calls may return an error.
    ///
    /// # Panics
    /// Panics if the future's task has panicked.
    #[doc(alias = "join")]
    #[track_caller]
    pub fn into_inner(self) -> Result<T, Self> {
        self.get();
        self.try_unwrap()
            .map(|outcome| outcome.unwrap_or_else(|payload| resume_unwind(payload)))
    }

    /// Returns the value or the panic of the task, by value, if the task has ended and this is the only handle.
    ///
    /// # Errors
    /// Returns this handle if other handles exist, or if the task has not ended yet.
    pub fn try_unwrap(self) -> Result<thread::Result<T>, Self> {
        // A task releases its reference to the value a moment after the value is ready.
        while self.is_ready() && self.0.has_task() {
            thread::yield_now();
        }
        if self.0.is_last() {
            // SAFETY: no other handle and no task is left, so no other code can access the value.
            if let Some(outcome) = unsafe { self.0.take() } {
                return Ok(outcome.map_err(|panic| panic.into_payload()));
            }
        }
        Err(self)
    }

    fn new(handle: Handle<Later<T>>) -> Self {
        Future(handle)
    }

    /// Returns a wait for the value. The wait serves both the blocking form and the async form.
    #[track_caller]
    fn wait(&self) -> Wait<Get<'_, T>> {
        Wait::new(Get(&self.0))
    }

    /// Returns a wait for the value. The wait owns a handle.
    pub(super) fn wait_owned(&self, at: &'static Location<'static>) -> Wait<Owned<T>> {
        Wait::at(Owned(self.0.clone()), at)
    }
}

impl<T: Send + Sync + 'static> Future<T> {
    /// Starts a task that applies `work` to the value when the value is ready. Returns the future of the result. If this future's
    /// task panics, the resulting future has the same panic.
    ///
    /// ```
    /// let word = heist::sync::future(|| "work stealing");
    /// let length = word.map(|word| word.len());
    /// assert_eq!(*length.get(), 13);
    /// ```
    #[track_caller]
    pub fn map<U, F>(&self, work: F) -> Future<U>
    where
        F: FnOnce(&T) -> U + Send + 'static,
        U: Send + Sync + 'static,
    {
        super::spawn_when(self, work)
    }
}

/// Returns the future of a task. `spawn` starts the task and receives the place for its result.
pub(super) fn future_of<T>(spawn: impl FnOnce(Later<T>) -> Handle<Later<T>>) -> Future<T> {
    Future(spawn(Later::new()))
}

/// Offers this task to a thread that waits only for this task, so that the thread may run the task itself.
fn offer_to_waiter<T>(task: &Handle<Later<T>>, context: &Context<'_>) {
    let waker = context.waker();
    if is_listened_to(waker) {
        if let Some(task) = task.helped() {
            offer(waker, InPlace::Task(task));
        }
    }
}

fn value_or_panic<'a, T>(outcome: Result<&'a T, &Panic>) -> &'a T {
    match outcome {
        Ok(value) => value,
        Err(panic) => panic.rethrow(),
    }
}

/// The future of `.await` on a `&Future<T>`: a wait for a reference to the value.
#[derive(Debug)]
pub struct Getting<'a, T> {
    future: &'a Future<T>,
    wait: Wait<Get<'a, T>>,
}

impl<'a, T> std::future::Future for Getting<'a, T> {
    type Output = &'a T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<&'a T> {
        // SAFETY: only `wait` is structurally pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(outcome) = this.future.0.get() {
            return Poll::Ready(value_or_panic(outcome));
        }
        // SAFETY: `wait` belongs to the pinned `self`, and is not moved before it is dropped in place.
        let polled = unsafe { Pin::new_unchecked(&mut this.wait) }.poll(context);
        if polled.is_pending() {
            offer_to_waiter(&this.future.0, context);
        }
        polled.map(|()| value_or_panic(this.future.0.expect_there()))
    }
}

impl<'a, T> IntoFuture for &'a Future<T> {
    type Output = &'a T;
    type IntoFuture = Getting<'a, T>;

    #[track_caller]
    fn into_future(self) -> Getting<'a, T> {
        Getting {
            future: self,
            wait: self.wait(),
        }
    }
}

/// The future of `.await` on a `Future<T>`, which it consumes: a wait for a clone of the value.
#[derive(Debug)]
pub struct Taking<T>(Wait<Owned<T>>);

impl<T: Clone> std::future::Future for Taking<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // SAFETY: the wait belongs to the pinned `self`, and is not moved.
        let mut wait = unsafe { self.map_unchecked_mut(|this| &mut this.0) };
        let polled = wait.as_mut().poll(context);
        if polled.is_pending() {
            offer_to_waiter(&wait.condition().0, context);
        }
        polled.map(|()| value_or_panic(wait.condition().outcome()).clone())
    }
}

impl<T: Clone> IntoFuture for Future<T> {
    type Output = T;
    type IntoFuture = Taking<T>;

    #[track_caller]
    fn into_future(self) -> Taking<T> {
        Taking(self.wait_owned(Location::caller()))
    }
}

/// A panic that a task left in place of its value.
pub(super) struct Panic {
    payload: Payload,
}

impl Panic {
    pub(super) fn new(payload: Payload) -> Self {
        Panic { payload }
    }

    fn into_payload(self) -> Payload {
        self.payload
    }

    /// Returns the text of the payload, if it is a text.
    fn text(&self) -> Option<&str> {
        let text = self.payload.downcast_ref::<&'static str>().copied();
        text.or_else(|| self.payload.downcast_ref::<String>().map(String::as_str))
    }

    /// Returns a payload for another reader. If the old payload has a text, the new payload has the same text.
    pub(super) fn again(&self) -> Payload {
        match self.text() {
            Some(text) => Box::new(text.to_owned()),
            None => Box::new("the task of a heist::sync::Future panicked"),
        }
    }

    /// Raises the panic again in a reader of the value, without a call of the panic hook.
    fn rethrow(&self) -> ! {
        resume_unwind(self.again())
    }
}
