//! The record of a thread while it waits.

use super::reason::Reason;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something that a thread waits for.
pub(crate) trait Awaited: Sync {
    /// Whether the wait is over. True for good, once it is; the thread that makes it so unparks the thread
    /// later. Any thread may call it.
    fn is_done(&self) -> bool;

    fn reason(&self) -> Reason;

    /// Ends the wait although its event has not come, if the waiter can bear that. The
    /// thread must be unparked after it.
    fn give_up(&self) -> bool {
        false
    }
}

/// A wait until a condition holds. The condition must come to hold.
pub(crate) struct Until<F>(pub(crate) Reason, pub(crate) F);

impl<F: Fn() -> bool + Sync> Awaited for Until<F> {
    fn is_done(&self) -> bool {
        (self.1)()
    }

    fn reason(&self) -> Reason {
        self.0
    }
}

/// A thread's place while it waits.
#[derive(Default)]
pub(crate) struct Seat(Mutex<State>);

#[derive(Default)]
struct State {
    /// Number of waits that have begun here.
    waits: u64,
    /// The event of the current wait, which lives while it is recorded here (see `Seat::during`).
    awaited: Option<&'static dyn Awaited>,
    /// Whether the thread does nothing any more except wait.
    settled: bool,
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("reason", &self.reason())
            .finish_non_exhaustive()
    }
}

impl Seat {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread waits during `work`. In between it may wait for another event, and sits here again after that.
    pub(crate) fn during(&self, awaited: &dyn Awaited, work: impl FnOnce()) {
        struct Leave<'a> {
            seat: &'a Seat,
            outer: (Option<&'static dyn Awaited>, bool),
        }
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                let mut state = self.seat.state();
                (state.awaited, state.settled) = self.outer;
            }
        }
        // SAFETY: taken out by `Leave` before this function ends, however it does. It is used under the
        // lock only, which `Leave` takes. What `Leave` puts back is that of a call around this one.
        let awaited = unsafe { std::mem::transmute::<&dyn Awaited, &'static dyn Awaited>(awaited) };
        let mut state = self.state();
        let outer = (state.awaited, state.settled);
        state.waits += 1;
        (state.awaited, state.settled) = (Some(awaited), false);
        drop(state);
        let _leave = Leave { seat: self, outer };
        work();
    }

    /// From here on to the end of the wait the thread does nothing for other threads.
    pub(crate) fn settle(&self) {
        self.state().settled = true;
    }

    /// From here on it acts for others again, and this counts as another wait.
    pub(crate) fn rouse(&self) {
        let mut state = self.state();
        state.waits += 1;
        state.settled = false;
    }

    /// Reason of the wait, if there is one.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Some(self.state().awaited?.reason())
    }

    /// The number of the wait that the thread has settled down to and from which it cannot continue by itself.
    pub(crate) fn stuck(&self) -> Option<u64> {
        let state = self.state();
        let stuck = state.settled && !state.awaited?.is_done();
        stuck.then_some(state.waits)
    }

    /// Makes that wait end, if it can be and has not ended. The thread must be unparked after it.
    pub(crate) fn give_up(&self, wait: u64) -> bool {
        let state = self.state();
        state.waits == wait && state.awaited.is_some_and(Awaited::give_up)
    }
}
