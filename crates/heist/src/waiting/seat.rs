//! The record of a thread while it waits.

use super::reason::Reason;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An event for which a thread waits.
pub(crate) trait Awaited: Sync {
    /// Returns true if the wait is over. After the method has returned true once, it always returns true. The thread that ends the wait
    /// must make the result true before it unparks the waiter. Any thread may call this function.
    fn is_done(&self) -> bool;

    fn reason(&self) -> Reason;

    /// Ends the wait although its event has not occurred, if the waiter can leave the wait early. If this method returns true, the caller
    /// must unpark the waiting thread afterwards.
    fn give_up(&self) -> bool {
        false
    }
}

/// A wait until a condition is true. Another thread must make the condition true.
pub(crate) struct Until<F>(pub(crate) Reason, pub(crate) F);

impl<F: Fn() -> bool + Sync> Awaited for Until<F> {
    fn is_done(&self) -> bool {
        (self.1)()
    }

    fn reason(&self) -> Reason {
        self.0
    }
}

/// The record of a thread's wait.
#[derive(Default)]
pub(crate) struct Seat(Mutex<State>);

#[derive(Default)]
struct State {
    /// Number of waits that have begun on this seat.
    waits: u64,
    /// The event of the current wait. The event exists while this field refers to it (see
    /// `Seat::during`).
    awaited: Option<&'static dyn Awaited>,
    /// True if the thread does nothing except wait.
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

    /// Runs `work`, and records that the thread waits for `awaited` during `work`. If the thread waits for another
    /// event in `work`, the seat records that wait, and afterwards the wait for `awaited` again.
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
        // SAFETY: `Leave` removes the reference before this function returns or unwinds. Other threads use the
        // reference only under the lock, which `Leave` takes. The reference that `Leave` restores belongs to an outer
        // call of this function, which has not ended.
        let awaited = unsafe { std::mem::transmute::<&dyn Awaited, &'static dyn Awaited>(awaited) };
        let mut state = self.state();
        let outer = (state.awaited, state.settled);
        state.waits += 1;
        (state.awaited, state.settled) = (Some(awaited), false);
        drop(state);
        let _leave = Leave { seat: self, outer };
        work();
    }

    /// Declares that from now on, until the wait ends, the thread does nothing that another thread
    /// could observe.
    pub(crate) fn settle(&self) {
        self.state().settled = true;
    }

    /// Declares that the thread may again do something that other threads can observe. From now on, the thread's wait counts as a new wait.
    pub(crate) fn rouse(&self) {
        let mut state = self.state();
        state.waits += 1;
        state.settled = false;
    }

    /// Returns the reason of the wait, if there is one.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Some(self.state().awaited?.reason())
    }

    /// Returns the number of the thread's wait, if the thread has settled and the wait is not over.
    pub(crate) fn stuck(&self) -> Option<u64> {
        let state = self.state();
        let stuck = state.settled && !state.awaited?.is_done();
        stuck.then_some(state.waits)
    }

    /// Ends the wait with number `wait`, if the wait can be ended early and has not ended. If this method returns true, the caller must
    /// unpark the thread.
    pub(crate) fn give_up(&self, wait: u64) -> bool {
        let state = self.state();
        state.waits == wait && state.awaited.is_some_and(Awaited::give_up)
    }
}
