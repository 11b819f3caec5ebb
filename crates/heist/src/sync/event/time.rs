//! Events of time.

use super::{Choice, Event, Inside, Sealed, Turn, awaitable};
use crate::timer::{Sleep, sleep_until};
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::time::{Duration, Instant};

/// The event that [`after`] and [`at`] return.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Timer {
    time: Time,
    /// The sleep until the event's time; `Some` while the event waits.
    sleep: Option<Sleep>,
    chosen: bool,
}

#[derive(Debug)]
enum Time {
    After(Duration),
    At(Instant),
    /// A time that the clock cannot represent.
    Never,
}

/// Returns an event that happens `duration` after the beginning of its synchronisation. The event is Concurrent ML's `timeOutEvt`.
///
/// ```
/// use heist::sync::Rendezvous;
/// use heist::sync::event::{Event, after};
/// use std::time::Duration;
/// let silent = Rendezvous::<u32>::new();
/// let heard = silent.recv_event().wrap(Some).or(after(Duration::from_millis(1)).wrap(|()| None));
/// assert_eq!(heard.sync(), None);
/// ```
///
/// # Panics
/// Synchronising the event panics if the timer's thread cannot be started.
///
/// # Complexity
/// If the event has to wait, the wait takes O(log n) for n simultaneous sleeps.
pub fn after(duration: Duration) -> Timer {
    Timer::new(Time::After(duration))
}

/// Returns an event that happens at `time`. The event is Concurrent ML's `atTimeEvt`.
///
/// ```
/// use heist::sync::event::{Event, at};
/// use std::time::{Duration, Instant};
/// let noon = Instant::now() + Duration::from_millis(2);
/// at(noon).sync();
/// assert!(Instant::now() >= noon);
/// ```
///
/// # Panics
/// Synchronising the event panics if the timer's thread cannot be started.
pub fn at(time: Instant) -> Timer {
    Timer::new(Time::At(time))
}

impl Timer {
    fn new(time: Time) -> Self {
        Timer {
            time,
            sleep: None,
            chosen: false,
        }
    }

    /// Polls the sleep, which the timer's queue contains. Returns true if the choice is decided.
    fn poll(&mut self, choice: &Choice, context: &mut Context<'_>) -> bool {
        let Some(sleep) = &mut self.sleep else {
            return false;
        };
        if Pin::new(sleep).poll(context).is_pending() {
            return false;
        }
        if choice.claim() {
            choice.decide(Choice::BY_ITSELF);
            self.chosen = true;
        }
        true
    }
}

impl Sealed for Timer {}

impl Event for Timer {
    type Output = ();

    fn force(mut self: Pin<&mut Self>, _: Inside) {
        if let Time::After(duration) = self.time {
            let at = Instant::now().checked_add(duration);
            self.time = at.map_or(Time::Never, Time::At);
        }
    }

    fn attempt(mut self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        if let Time::At(at) = self.time {
            self.chosen = Instant::now() >= at;
        }
        self.chosen
    }

    fn enlist(mut self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        if let Time::At(at) = self.time {
            self.sleep = Some(sleep_until(at));
        }
        self.poll(choice, context)
    }

    fn look(mut self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.poll(choice, context)
    }

    fn withdraw(mut self: Pin<&mut Self>, _: Inside) {
        self.sleep = None;
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        self.chosen
    }

    fn output(self: Pin<&mut Self>, _: Inside) {}
}

awaitable!([] Timer);
