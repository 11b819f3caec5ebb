//! Barriers for a fixed number of tasks.

use super::monitor::{Condition, Guard, Locked, Queue, Wait, constant, serve_more};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A barrier for a fixed number of tasks. The tasks wait for each other at the barrier, any number of times.
///
/// If the number of tasks changes, use a [`Phaser`](super::Phaser).
///
/// ```
/// let barrier = heist::sync::Barrier::new(3);
/// let arrived = std::sync::atomic::AtomicU32::new(0);
/// heist::finish(|f| {
///     for _ in 0..3 {
///         let (barrier, arrived) = (&barrier, &arrived);
///         f.spawn(move |_| {
///             arrived.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///             barrier.wait();
///             assert_eq!(arrived.load(std::sync::atomic::Ordering::Relaxed), 3);
///         });
///     }
/// });
/// ```
#[derive(Debug)]
pub struct Barrier {
    parties: usize,
    state: Locked<State>,
    made: &'static Location<'static>,
}

#[derive(Debug)]
struct State {
    arrived: usize,
    /// Number of rounds that have ended: in each of these rounds, all parties arrived.
    meetings: u64,
    /// The waiters. Each waiter is tagged with the number of the round whose end it awaits.
    waiting: Queue,
}

impl Barrier {
    constant! {
    /// Creates a barrier for `parties` tasks. A number of 0 counts as 1.
    #[must_use]
    #[track_caller]
    pub const fn new(parties: usize) -> Self {
        Barrier {
            parties,
            state: Locked::new(State {
                arrived: 0,
                meetings: 0,
                waiting: Queue::new(),
            }),
            made: Location::caller(),
        }
    }
    }

    /// Waits until all parties have arrived. Returns true in the party that arrived last.
    #[track_caller]
    #[inline]
    pub fn wait(&self) -> bool {
        self.arrive().block()
    }

    /// Returns a future that waits until all parties have arrived, for async code. If the future is dropped before all parties have
    /// arrived, its arrival no longer counts.
    #[track_caller]
    pub fn wait_async(&self) -> Arriving<'_> {
        Arriving(self.arrive())
    }

    #[track_caller]
    fn arrive(&self) -> Wait<Arrive<'_>> {
        Wait::new(Arrive { barrier: self })
    }
}

/// The future that [`Barrier::wait_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Arriving<'a>(Wait<Arrive<'a>>);

impl Future for Arriving<'_> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}

struct Arrive<'a> {
    barrier: &'a Barrier,
}

impl Condition for Arrive<'_> {
    type State = State;
    type Output = bool;

    fn state(&self) -> &Locked<State> {
        &self.barrier.state
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"Barrier", self.barrier.made)
    }

    fn attempt(&mut self, state: &mut State) -> Result<bool, u64> {
        state.arrived += 1;
        if state.arrived < self.barrier.parties {
            return Err(state.meetings);
        }
        state.arrived = 0;
        state.meetings += 1;
        Ok(true)
    }

    fn pass_on(&mut self, state: Guard<'_, State>) {
        let now = state.meetings;
        // In the queue, the waiters of the next round are behind the waiters of this round.
        serve_more(&self.barrier.state, state, |state| {
            state.waiting.serve_if(|meeting| meeting < now)
        });
    }

    fn queue<'s>(&self, state: &'s mut State) -> &'s mut Queue {
        &mut state.waiting
    }

    fn served(&mut self) -> bool {
        false
    }

    fn forfeit(&mut self) {}

    fn leave(&mut self, mut state: Guard<'_, State>, meeting: u64) {
        // The waiter takes its arrival back only if its round has not ended.
        if meeting == state.meetings {
            state.arrived -= 1;
        }
    }
}
