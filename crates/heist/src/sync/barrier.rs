//! Barriers for a fixed number of tasks.

use super::gathering::{Gathering, Occasion, Place, dismiss};
use super::monitor::{Condition, Guard, Locked, Queue, Wait};
use super::orders;
use crate::platform::shim::{AtomicU64, Ordering};
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A point at which a fixed number of tasks wait for each other, again and again. Clones are the same
/// barrier.
///
/// For a number that changes use a [`Phaser`](super::Phaser).
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
#[derive(Clone, Debug)]
pub struct Barrier(Arc<Shared>);

/// See the README of phasers, of which this is the part that does not change.
#[derive(Debug)]
struct Shared {
    parties: u64,
    /// How often all have met.
    meetings: AtomicU64,
    /// How many have yet to come to the current meeting. 0 while its end is on the way.
    missing: AtomicU64,
    /// Held by who ends a meeting, and by who takes an arrival back, so that he knows which meeting
    /// `missing` is about.
    ending: Locked<()>,
    waiting: Gathering,
    made: &'static Location<'static>,
}

impl Occasion for Shared {
    fn gathering(&self) -> &Gathering {
        &self.waiting
    }

    fn has_passed(&self, meeting: u64) -> bool {
        self.meetings.load(orders::PASSED) > meeting
    }
}

impl Barrier {
    /// A barrier for so many tasks; 0 is taken for 1.
    #[must_use]
    #[track_caller]
    pub fn new(parties: usize) -> Self {
        let parties = parties.max(1);
        let waiting = Gathering::new();
        waiting.expect(parties);
        Barrier(Arc::new(Shared {
            parties: parties as u64,
            meetings: AtomicU64::new(0),
            missing: AtomicU64::new(parties as u64),
            ending: Locked::new(()),
            waiting,
            made: Location::caller(),
        }))
    }

    /// Waits until all have come. True for the one who came last.
    #[track_caller]
    #[inline]
    pub fn wait(&self) -> bool {
        self.arrive().block()
    }

    /// Waits until all have come, in async code. To drop it before is to take the arrival back.
    #[track_caller]
    pub fn wait_async(&self) -> Arriving<'_> {
        Arriving(self.arrive())
    }

    #[track_caller]
    fn arrive(&self) -> Wait<Arrive<'_>> {
        Wait::new(Arrive {
            barrier: &self.0,
            place: self.0.waiting.place(),
            last: false,
        })
    }
}

/// The await form of [`Barrier::wait`].
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Arriving<'a>(Wait<Arrive<'a>>);

impl Future for Arriving<'_> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        // SAFETY: the field is pinned with the whole.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}

struct Arrive<'a> {
    barrier: &'a Arc<Shared>,
    place: Place,
    last: bool,
}

impl Condition for Arrive<'_> {
    type State = Queue;
    type Output = bool;

    fn state(&self) -> &Locked<Queue> {
        self.barrier.waiting.queue(self.place)
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"Barrier", self.barrier.made)
    }

    /// Queued before it is counted, so that who comes last finds all.
    fn attempt(&mut self, _: &mut Queue) -> Result<bool, u64> {
        // Relaxed: the meeting that it is about cannot end without it.
        Err(self.barrier.meetings.load(Ordering::Relaxed))
    }

    fn announce(&mut self) -> bool {
        self.last = self.barrier.missing.fetch_sub(1, orders::SIGNAL) == 1;
        if self.last {
            let ending = self.barrier.ending.lock();
            // Before the next meeting is announced: nobody comes to it earlier.
            self.barrier
                .missing
                .swap(self.barrier.parties, Ordering::Relaxed);
            let met = self.barrier.meetings.load(Ordering::Relaxed);
            self.barrier.meetings.store(met + 1, orders::ADVANCE);
            drop(ending);
            dismiss(self.barrier);
        }
        self.last
    }

    fn queue<'s>(&self, state: &'s mut Queue) -> &'s mut Queue {
        state
    }

    fn served(&mut self) -> bool {
        self.last
    }

    fn forfeit(&mut self) {}

    fn leave(&mut self, state: Guard<'_, Queue>, meeting: u64) {
        drop(state);
        let _ending = self.barrier.ending.lock();
        if self.barrier.has_passed(meeting) {
            return;
        }
        // If nobody is missing the meeting has taken place, and its end waits for the lock. Others may
        // come meanwhile.
        let _ = self
            .barrier
            .missing
            .fetch_update(orders::SIGNAL, Ordering::Relaxed, |missing| {
                (missing > 0).then_some(missing + 1)
            });
    }
}
