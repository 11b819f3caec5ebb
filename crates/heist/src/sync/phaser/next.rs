//! The waits that move parties from one phase to the next.

use super::state::{Rest, Shared};
use super::{Phaser, Registration};
use crate::sync::gathering::{Occasion, Place};
use crate::sync::monitor::{Condition, Guard, Locked, Queue, Wait};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A step of a party from one phase to the next. The party signals if its mode includes signals, and then waits if its mode includes waits.
#[derive(Debug)]
pub(super) struct Step<'a> {
    party: &'a mut Registration,
    signals: bool,
    place: Place,
}

impl<'a> Step<'a> {
    pub(super) fn new(party: &'a mut Registration, signals: bool) -> Self {
        let mode = party.mode;
        // The party does not signal twice in a phase. The party may have signalled before, by a call of `signal` or in a wait that was
        // given up.
        let owes = !mode.waits() || party.signalled == party.waited;
        Step {
            signals: signals && mode.signals() && owes,
            place: Place::HOME,
            party,
        }
    }

    fn shared(&self) -> &Shared {
        &self.party.phaser.0
    }
}

impl Condition for Step<'_> {
    const BY_TAG: bool = true;

    type State = Queue;
    type Output = u64;

    fn begin(&mut self) {
        self.place = self.shared().gathering().place();
    }

    fn state(&self) -> &Locked<Queue> {
        self.shared().gathering().queue(self.place)
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"Phaser", self.shared().made)
    }

    fn attempt(&mut self, _: &mut Queue) -> Result<u64, u64> {
        if !self.party.mode.waits() {
            return Ok(self.party.signalled + 1);
        }
        // A signalling party is queued before it signals, so that the thread that ends the phase finds it.
        if !self.signals && self.shared().has_passed(self.party.waited) {
            return Ok(self.served());
        }
        Err(self.party.waited)
    }

    fn pass_on(&mut self, state: Guard<'_, Queue>) {
        drop(state);
        if self.signals {
            self.party.signal_now();
        }
    }

    fn announce(&mut self) -> bool {
        if self.signals {
            self.party.signal_now();
        }
        self.signals
    }

    fn queue<'s>(&self, state: &'s mut Queue) -> &'s mut Queue {
        state
    }

    fn served(&mut self) -> u64 {
        // When no signaller is left, waits end although no phase has ended.
        self.party.waited = (self.party.waited + 1).min(self.shared().phase());
        self.party.waited
    }

    fn forfeit(&mut self) {}
}

/// The future that [`Registration::next_async`] and [`Registration::wait_async`] return.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Next<'a>(Wait<Step<'a>>);

impl<'a> Next<'a> {
    pub(super) fn new(wait: Wait<Step<'a>>) -> Self {
        Next(wait)
    }
}

impl Future for Next<'_> {
    type Output = u64;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u64> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }.poll(context)
    }
}

/// The decision whether a party should run its single statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// The party should run the statement. The phase ends with the statement. The number counts the phases that the party has then
    /// completed.
    Mine(u64),
    /// The party should not run the statement, because the phase has ended. The number counts the phases that the party has
    /// completed.
    Over(u64),
}

/// A step of a party that signals, waits, and offers a single statement.
#[derive(Debug)]
pub(super) struct Single<'a> {
    party: &'a mut Registration,
    signals: bool,
}

impl<'a> Single<'a> {
    pub(super) fn new(party: &'a mut Registration) -> Self {
        Single {
            signals: party.signalled == party.waited,
            party,
        }
    }

    fn behind(&mut self) -> u64 {
        self.party.waited += 1;
        self.party.waited
    }
}

impl Condition for Single<'_> {
    const BY_TAG: bool = true;

    type State = Rest;
    type Output = Turn;

    fn state(&self) -> &Locked<Rest> {
        &self.party.phaser.0.rest
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"Phaser (single)", self.party.phaser.0.made)
    }

    fn attempt(&mut self, rest: &mut Rest) -> Result<Turn, u64> {
        let waited = self.party.waited;
        if self.signals {
            let runs = self
                .party
                .phaser
                .0
                .signal_single(rest, self.party.signalled);
            self.party.signalled += 1;
            if runs {
                return Ok(Turn::Mine(self.behind()));
            }
        }
        if self.party.phaser.0.has_passed(waited) {
            return Ok(Turn::Over(self.behind()));
        }
        Err(waited)
    }

    fn queue<'s>(&self, rest: &'s mut Rest) -> &'s mut Queue {
        &mut rest.singles
    }

    fn served(&mut self) -> Turn {
        let passed = self.party.phaser.0.has_passed(self.party.waited);
        let behind = self.behind();
        if passed {
            Turn::Over(behind)
        } else {
            // The phase has not ended, so the party was served to run the statement.
            Turn::Mine(behind)
        }
    }

    fn forfeit(&mut self) {
        self.party.phaser.0.decline(self.party.waited);
    }
}

/// Runs the single statement if it is the caller's turn, and then ends the phase, even if the statement panics.
pub(super) fn run_single(phaser: &Phaser, turn: Turn, statement: impl FnOnce()) -> u64 {
    struct Release<'a>(&'a Phaser);
    impl Drop for Release<'_> {
        fn drop(&mut self) {
            self.0.0.release();
        }
    }
    match turn {
        Turn::Mine(behind) => {
            let _release = Release(phaser);
            statement();
            behind
        }
        Turn::Over(behind) => behind,
    }
}

/// The future that [`Registration::next_single_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct NextSingle<'a, F> {
    phaser: Phaser,
    statement: Option<F>,
    wait: Wait<Single<'a>>,
}

impl<'a, F> NextSingle<'a, F> {
    #[track_caller]
    pub(super) fn new(party: &'a mut Registration, statement: F) -> Self {
        NextSingle {
            phaser: party.phaser.clone(),
            statement: Some(statement),
            wait: party.step_single(),
        }
    }
}

impl<F: FnOnce()> Future for NextSingle<'_, F> {
    type Output = u64;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u64> {
        // SAFETY: only the wait is structurally pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the wait belongs to the pinned `self`, and is not moved before it is dropped in place.
        let polled = unsafe { Pin::new_unchecked(&mut this.wait) }.poll(context);
        polled.map(|turn| match this.statement.take() {
            Some(statement) => run_single(&this.phaser, turn, statement),
            None => unreachable!("the wait ends once"),
        })
    }
}
