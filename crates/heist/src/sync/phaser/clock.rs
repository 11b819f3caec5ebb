//! X10's clocks.

use super::{Mode, Next, Phaser, Registration};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A clock of X10: a [`Phaser`] in which all parties signal and wait.
///
/// The owner of a clock takes part in its phases. [`register`](Self::register) returns another clock for a task that is about to be
/// spawned (X10's `async clocked(c)`). Dropping a clock is X10's `drop`.
///
/// ```
/// use heist::sync::Clock;
///
/// let clock = Clock::new();
/// heist::finish(|f| {
///     for _ in 0..3 {
///         let mut clock = clock.register();
///         f.spawn(move |_| {
///             clock.resume(); // my part of the phase is done ...
///             clock.advance(); // ... and so is everybody's
///         });
///     }
///     drop(clock);
/// });
/// ```
#[derive(Debug)]
#[must_use = "a clock that is dropped is not taken part in"]
pub struct Clock(Registration);

impl Default for Clock {
    #[track_caller]
    fn default() -> Self {
        Clock::new()
    }
}

impl Clock {
    /// Creates a clock with one party: the caller.
    #[track_caller]
    pub fn new() -> Self {
        Clock(Phaser::new().register(Mode::SignalWait))
    }

    /// Registers another party, and returns its clock.
    pub fn register(&self) -> Clock {
        Clock(self.0.register(Mode::SignalWait))
    }

    /// Returns the number of phases that this party has completed.
    #[must_use]
    pub fn phase(&self) -> u64 {
        self.0.waited
    }

    /// Declares that this party has done its part of the phase, without waiting. A second call in the same phase has no effect.
    pub fn resume(&mut self) {
        self.0.signal();
    }

    /// Waits until all parties have resumed or advanced. Returns the number of phases that this party has completed.
    #[track_caller]
    pub fn advance(&mut self) -> u64 {
        self.0.next()
    }

    /// Returns a future that works like [`advance`](Self::advance), for async code.
    #[track_caller]
    pub fn advance_async(&mut self) -> Next<'_> {
        self.0.next_async()
    }

    /// Advances several clocks together: X10's `Clock.advanceAll()`. It resumes all clocks before it waits for any, so tasks that
    /// name the same clocks in different orders never wait for each other in a circle.
    #[track_caller]
    pub fn advance_all<'a>(clocks: impl IntoIterator<Item = &'a mut Clock>) {
        for clock in resume_all(clocks) {
            clock.0.next();
        }
    }

    /// Returns a future that works like [`advance_all`](Self::advance_all), for async code.
    #[track_caller]
    pub fn advance_all_async<'a>(clocks: impl IntoIterator<Item = &'a mut Clock>) -> Advancing<'a> {
        Advancing(
            resume_all(clocks)
                .into_iter()
                .map(Clock::advance_async)
                .map(Box::pin)
                .collect(),
        )
    }
}

fn resume_all<'a>(clocks: impl IntoIterator<Item = &'a mut Clock>) -> Vec<&'a mut Clock> {
    let mut clocks: Vec<_> = clocks.into_iter().collect();
    for clock in &mut clocks {
        clock.resume();
    }
    clocks
}

/// The future that [`Clock::advance_all_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Advancing<'a>(Vec<Pin<Box<Next<'a>>>>);

impl Future for Advancing<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        while let Some(next) = self.0.last_mut() {
            ready!(next.as_mut().poll(context));
            self.0.pop();
        }
        Poll::Ready(())
    }
}
