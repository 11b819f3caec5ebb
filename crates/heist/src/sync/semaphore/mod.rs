//! Semaphores, and mutexes built on them.

mod event;
mod mutex;

pub use event::AcquireEvent;
pub use mutex::{Locking, Mutex, MutexGuard};

use super::monitor::{Condition, Guard, Locked, Queue, Wait, constant, serve_more};
use crate::timer::Elapsed;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A semaphore: a number of permits for which tasks can wait.
///
/// Waiters are served in the order of arrival. So a wait for many permits ends even if other tasks request few permits again and
/// again. Waiters occupy no thread: see the [module](super).
///
/// ```
/// let gate = heist::sync::Semaphore::new(2);
/// let one = gate.acquire(1);
/// let two = gate.try_acquire(1).unwrap();
/// assert!(gate.try_acquire(1).is_none());
/// drop(one);
/// assert_eq!(gate.available(), 1);
/// two.keep(); // never to be given back
/// assert_eq!(gate.available(), 1);
/// ```
#[derive(Debug)]
pub struct Semaphore {
    state: Locked<State>,
    made: &'static Location<'static>,
    name: &'static &'static str,
}

#[derive(Debug)]
struct State {
    permits: usize,
    /// The waiters, each tagged with the number of permits that it requests. Among the waiters whose choices are not over, the
    /// oldest waiter requests more permits than are free.
    waiting: Queue,
}

impl State {
    /// Takes permits for the oldest waiter if enough permits are free, and returns this waiter's waker.
    fn serve(&mut self) -> Option<std::task::Waker> {
        let permits = self.permits as u64;
        let mut wanted = 0;
        let waker = self.waiting.serve_if(|tag| {
            wanted = tag;
            wanted <= permits
        })?;
        self.permits -= wanted as usize;
        Some(waker)
    }
}

/// Permits taken from a [`Semaphore`]. The drop of this value returns the permits to the semaphore.
#[derive(Debug)]
#[must_use = "permits that are dropped are given back"]
pub struct Permits<'a> {
    semaphore: &'a Semaphore,
    count: usize,
}

impl Permits<'_> {
    /// Takes the permits from the semaphore forever.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    /// Returns the number of permits.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Permits<'_> {
    fn drop(&mut self) {
        self.semaphore.release(self.count);
    }
}

impl Semaphore {
    constant! {
    /// Creates a semaphore with `permits` permits.
    #[must_use]
    #[track_caller]
    pub const fn new(permits: usize) -> Self {
        Self::named(permits, &"Semaphore")
    }
    }

    constant! {
    /// Creates a semaphore. The given name appears in reports.
    #[track_caller]
    pub(super) const fn named(permits: usize, name: &'static &'static str) -> Self {
        Semaphore {
            state: Locked::new(State {
                permits,
                waiting: Queue::new(),
            }),
            made: Location::caller(),
            name,
        }
    }
    }

    /// Returns the number of permits that are free now.
    #[must_use]
    pub fn available(&self) -> usize {
        self.state.lock().permits
    }

    /// Takes `count` permits if they are free and no waiter is queued.
    #[must_use]
    pub fn try_acquire(&self, count: usize) -> Option<Permits<'_>> {
        let taken = take(&mut self.state.lock(), count);
        // `Permits` is created only if the permits were taken, because its drop gives them back.
        taken.then(|| Permits {
            semaphore: self,
            count,
        })
    }

    /// Waits until `count` permits are free, and takes them.
    #[track_caller]
    pub fn acquire(&self, count: usize) -> Permits<'_> {
        self.wait(count).block()
    }

    /// Returns a future that takes `count` permits, for async code.
    #[track_caller]
    pub fn acquire_async(&self, count: usize) -> Acquiring<'_> {
        Acquiring(self.wait(count))
    }

    /// Waits until `count` permits are free, but at most for `limit`, and takes them.
    ///
    /// ```
    /// use heist::sync::Semaphore;
    /// use std::time::Duration;
    /// let seats = Semaphore::new(1);
    /// let taken = seats.acquire(1);
    /// assert!(seats.acquire_timeout(1, Duration::from_millis(1)).is_err());
    /// drop(taken);
    /// assert!(seats.acquire_timeout(1, Duration::from_secs(60)).is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the limit passes before the permits are free.
    #[track_caller]
    pub fn acquire_timeout(&self, count: usize, limit: Duration) -> Result<Permits<'_>, Elapsed> {
        self.wait(count).block_for(limit, |_| Elapsed)
    }

    /// Adds `count` permits.
    ///
    /// # Panics
    /// Panics if the number of permits would exceed `usize::MAX`.
    pub fn release(&self, count: usize) {
        let mut state = self.state.lock();
        let permits = state.permits.checked_add(count);
        let Some(permits) = permits else {
            drop(state);
            panic!("heist: a semaphore cannot have more than usize::MAX permits");
        };
        state.permits = permits;
        if state.waiting.is_empty() {
            return;
        }
        serve_more(&self.state, state, State::serve);
    }

    #[track_caller]
    fn wait(&self, count: usize) -> Wait<Acquire<'_>> {
        Wait::new(Acquire {
            semaphore: self,
            count,
        })
    }
}

fn take(state: &mut State, count: usize) -> bool {
    let enough = state.permits >= count && state.waiting.is_over();
    if enough {
        state.permits -= count;
    }
    enough
}

/// The future that [`Semaphore::acquire_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Acquiring<'a>(Wait<Acquire<'a>>);

impl<'a> Future for Acquiring<'a> {
    type Output = Permits<'a>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permits<'a>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}

struct Acquire<'a> {
    semaphore: &'a Semaphore,
    count: usize,
}

impl<'a> Condition for Acquire<'a> {
    type State = State;
    type Output = Permits<'a>;

    fn state(&self) -> &Locked<State> {
        &self.semaphore.state
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (self.semaphore.name, self.semaphore.made)
    }

    fn attempt(&mut self, state: &mut State) -> Result<Permits<'a>, u64> {
        if take(state, self.count) {
            Ok(self.served())
        } else {
            Err(self.count as u64)
        }
    }

    fn queue<'s>(&self, state: &'s mut State) -> &'s mut Queue {
        &mut state.waiting
    }

    fn served(&mut self) -> Permits<'a> {
        Permits {
            semaphore: self.semaphore,
            count: self.count,
        }
    }

    fn forfeit(&mut self) {
        drop(self.served());
    }

    fn queued(&mut self, state: Guard<'_, State>) {
        // An older waiter of the same choice may request more permits than are free, and this waiter may request fewer.
        if cfg!(heist_mutant = "sync_semaphore_queued") {
            return;
        }
        serve_more(&self.semaphore.state, state, State::serve);
    }

    fn leave(&mut self, state: Guard<'_, State>, _: u64) {
        // Waiters behind the waiter that has left may request fewer permits.
        serve_more(&self.semaphore.state, state, State::serve);
    }
}
