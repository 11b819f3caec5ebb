//! The state of a phaser: its phase, the parties that have signalled, and the waiters.

use super::Mode;
use crate::platform::shim::{AtomicBool, AtomicU64, Ordering};
use crate::sync::gathering::{Gathering, Occasion, dismiss};
use crate::sync::monitor::{Guard, Locked, Queue, serve_more};
use crate::sync::orders;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;
use std::task::Waker;

/// The state that the parties of a phaser share. See "State" in the README.
#[derive(Debug)]
pub(super) struct Shared {
    /// The current phase: the first phase that has not ended. Only a thread that holds the lock writes this field.
    phase: AtomicU64,
    /// Number of signallers that have not signalled the current phase. Any party may decrease the number of missing signals. Only a thread
    /// that holds the lock increases the number, or sets it for the next phase.
    missing: AtomicU64,
    /// True if there were signallers and none are left. When no signaller is left, no party needs to wait.
    over: AtomicBool,
    pub(super) rest: Locked<Rest>,
    waiting: Gathering,
    pub(super) made: &'static Location<'static>,
}

/// State that is accessed once in each phase, and when parties join and leave.
#[derive(Debug)]
pub(super) struct Rest {
    /// Number of registered parties that signal.
    signallers: u64,
    /// The number of parties that have signalled each later phase. The first entry belongs to the phase after the current phase.
    ahead: VecDeque<u64>,
    /// True if all parties have signalled and the phase's single statement is running or about to run.
    held: bool,
    /// True if a party must still be chosen among the `singles` of this phase. While this field is true, `singles` is not empty.
    electing: bool,
    /// The waiters that offer a single statement.
    pub(super) singles: Queue,
}

impl Occasion for Shared {
    fn gathering(&self) -> &Gathering {
        &self.waiting
    }

    fn has_passed(&self, phase: u64) -> bool {
        self.phase.load(orders::PASSED) > phase || self.over.load(orders::PASSED)
    }
}

impl Shared {
    pub(super) fn new(made: &'static Location<'static>) -> Self {
        Shared {
            phase: AtomicU64::new(0),
            missing: AtomicU64::new(0),
            over: AtomicBool::new(false),
            rest: Locked::new(Rest {
                signallers: 0,
                ahead: VecDeque::new(),
                held: false,
                electing: false,
                singles: Queue::new(),
            }),
            waiting: Gathering::new(),
            made,
        }
    }

    pub(super) fn phase(&self) -> u64 {
        self.phase.load(orders::PASSED)
    }

    pub(super) fn signallers(&self) -> usize {
        self.rest.lock().signallers as usize
    }

    /// Returns the number of missing signals. The caller must hold the lock.
    fn missing(&self) -> u64 {
        // Relaxed, because the thread that ends the phase acquires the writes of the parties that have signalled.
        self.missing.load(Ordering::Relaxed)
    }

    /// Registers a party. The party takes part from `phase` on, or from the first later phase in which it can take part. Returns
    /// the first phase of the party.
    pub(super) fn register(&self, mode: Mode, phase: u64) -> u64 {
        let mut rest = self.rest.lock();
        let now = self.phase();
        // A party that registers while a phase ends, or while its single statement runs, begins with the next phase.
        let ending = rest.signallers > 0 && self.missing() == 0;
        let first = phase.max(now + u64::from(ending));
        if mode.signals() {
            rest.signallers += 1;
            self.waiting.expect(rest.signallers as usize);
            if first > now {
                rest.count_ahead(now, now + 1..first, 1);
            } else {
                // Relaxed, because a party that has decreased the number to 0 meanwhile waits for the lock, and then checks the
                // number again.
                self.missing.fetch_add(1, Ordering::Relaxed);
            }
            self.over.store(false, Ordering::Relaxed);
        }
        first
    }

    /// Removes a party that has signalled all phases before `signalled`.
    pub(super) fn deregister(self: &Arc<Self>, mode: Mode, signalled: u64) {
        if !mode.signals() {
            return;
        }
        let mut rest = self.rest.lock();
        let now = self.phase();
        rest.signallers -= 1;
        let mut ended = false;
        if signalled > now {
            rest.count_ahead(now, now + 1..signalled, -1);
        } else if self.missing.fetch_sub(1, orders::SIGNAL) == 1 && rest.signallers > 0 {
            ended = self.complete(&mut rest);
        }
        if rest.signallers == 0 && !rest.held {
            self.end(&mut rest);
            ended = true;
        }
        self.settle(rest, ended);
    }

    /// Ends the phase because the last signaller has left.
    fn end(&self, rest: &mut Rest) {
        rest.ahead.clear();
        self.missing.swap(0, Ordering::Relaxed);
        let next = self.phase() + 1;
        self.phase.store(next, orders::ADVANCE);
        self.over.store(true, orders::ADVANCE);
    }

    /// Signals `phase` for a party that has not signalled it before.
    pub(super) fn signal(self: &Arc<Self>, phase: u64) {
        if self.phase() == phase {
            // The current phase does not change during these steps, because it cannot end without this party.
            if self.missing.fetch_sub(1, orders::SIGNAL) == 1 {
                self.complete_if_all(phase);
            }
            return;
        }
        let mut rest = self.rest.lock();
        let now = self.phase();
        if now < phase {
            rest.count_ahead(now, phase..phase + 1, 1);
            return;
        }
        drop(rest);
        self.signal(phase);
    }

    /// Completes `phase` unless it has ended or a party has joined. All signals of the phase must have arrived.
    #[inline(never)]
    fn complete_if_all(self: &Arc<Self>, phase: u64) {
        let mut rest = self.rest.lock();
        // Before this thread took the lock, another party may have joined, or may have joined, signalled, and ended the phase.
        if self.phase() != phase || self.missing() > 0 || rest.signallers == 0 {
            return;
        }
        let ended = self.complete(&mut rest);
        self.settle(rest, ended);
    }

    /// Signals for a party that offers a single statement. The caller must hold the lock. Returns true if the caller must run the
    /// statement before [`release`](Self::release).
    pub(super) fn signal_single(&self, rest: &mut Rest, phase: u64) -> bool {
        let now = self.phase();
        if now < phase {
            // The party joined while the previous phase ended, so it signals a later phase.
            rest.count_ahead(now, phase..phase + 1, 1);
            return false;
        }
        let last = self.missing.fetch_sub(1, orders::SIGNAL) == 1;
        rest.held |= last;
        last
    }

    /// Completes the current phase. All signallers must have signalled the phase. Returns true if the phase has ended.
    fn complete(&self, rest: &mut Rest) -> bool {
        if rest.held {
            return false;
        }
        if !rest.singles.has_tag(self.phase()) {
            self.advance(rest);
            return true;
        }
        rest.held = true;
        rest.electing = true;
        false
    }

    /// Ends the phase after its single statement has run.
    pub(super) fn release(self: &Arc<Self>) {
        let mut rest = self.rest.lock();
        self.let_go(&mut rest);
        self.settle(rest, true);
    }

    fn let_go(&self, rest: &mut Rest) {
        debug_assert!(rest.held);
        rest.held = false;
        if rest.signallers > 0 {
            self.advance(rest);
        } else {
            self.end(rest);
        }
    }

    /// Declines the single statement for a waiter that was served to run the statement.
    pub(super) fn decline(self: &Arc<Self>, phase: u64) {
        let mut rest = self.rest.lock();
        let mut ended = false;
        if !self.has_passed(phase) {
            if !rest.singles.has_tag(phase) {
                self.let_go(&mut rest);
                ended = true;
            } else {
                rest.electing = true;
            }
        }
        self.settle(rest, ended);
    }

    /// Ends the phase, and also ends the following phases that all parties have signalled already.
    fn advance(&self, rest: &mut Rest) {
        loop {
            let next = self.phase() + 1;
            let missing = rest.signallers - rest.ahead.pop_front().unwrap_or(0);
            // `missing` is set before the phase, because a party signals only a phase that it has seen. The write is a
            // read-modify-write, so that it continues the release sequence of the signals.
            self.missing.swap(missing, Ordering::Relaxed);
            self.phase.store(next, orders::ADVANCE);
            if missing > 0 {
                return;
            }
            if rest.singles.has_tag(next) {
                rest.held = true;
                rest.electing = true;
                return;
            }
        }
    }

    /// Serves all waiters that a change of the phase has released.
    fn settle(self: &Arc<Self>, rest: Guard<'_, Rest>, ended: bool) {
        serve_more(&self.rest, rest, |rest| self.serve_single(rest));
        if ended {
            dismiss(self);
        }
    }

    fn serve_single(&self, rest: &mut Rest) -> Option<Waker> {
        let passed = rest.singles.serve_if(|phase| self.has_passed(phase));
        if passed.is_some() || !rest.electing {
            return passed;
        }
        // All waiters for ended phases have been served, so the oldest waiters in the queue wait for this phase.
        rest.electing = false;
        rest.singles.serve_if(|phase| phase == self.phase())
    }
}

impl Rest {
    /// Adds `change` to the number of signals of each phase in `phases`. All phases in `phases` must be after `now`.
    fn count_ahead(&mut self, now: u64, phases: Range<u64>, change: i64) {
        for phase in phases {
            let place = (phase - now - 1) as usize;
            if self.ahead.len() <= place {
                self.ahead.resize(place + 1, 0);
            }
            self.ahead[place] = self.ahead[place].wrapping_add_signed(change);
        }
    }
}
