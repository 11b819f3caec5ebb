//! The state of a phaser: which phase it is in, who has signalled, who waits.

use super::Mode;
use crate::sync::monitor::Queue;
use std::collections::VecDeque;
use std::task::Waker;

/// What the phaser's lock protects. See "States" in the README.
#[derive(Debug)]
pub(super) struct State {
    /// The current phase: the first that has not been completed.
    phase: u64,
    /// Registrations that signal.
    signallers: u32,
    /// How many of them have signalled the current phase, the one after it, and so on.
    signals: VecDeque<u32>,
    /// There were signallers, and there are none any more: nobody need wait.
    over: bool,
    /// All have signalled, and somebody runs the phase's single statement, or is about to.
    held: bool,
    /// That somebody is yet to be chosen among `singles`.
    electing: bool,
    /// Who waits, tagged with the phase whose end he waits for.
    pub(super) waiting: Queue,
    /// The same, of those who offer a single statement.
    pub(super) singles: Queue,
}

impl State {
    pub(super) fn new() -> Self {
        State {
            phase: 0,
            signallers: 0,
            signals: VecDeque::new(),
            over: false,
            held: false,
            electing: false,
            waiting: Queue::new(),
            singles: Queue::new(),
        }
    }

    pub(super) fn phase(&self) -> u64 {
        self.phase
    }

    pub(super) fn signallers(&self) -> u32 {
        self.signallers
    }

    /// Whether who waits for the end of `phase` need not wait any more.
    pub(super) fn has_passed(&self, phase: u64) -> bool {
        self.over || self.phase > phase
    }

    /// Registers a party whose first duty is `phase`, or the first that it can have a part in. Returns that.
    pub(super) fn register(&mut self, mode: Mode, phase: u64) -> u64 {
        // The current one is lost for those who come while its single statement runs.
        let first = phase.max(self.phase + u64::from(self.held));
        if mode.signals() {
            if self.over {
                self.over = false;
                self.signals.clear();
            }
            self.signallers += 1;
            self.count(self.phase..first, 1);
        }
        first
    }

    /// Takes a party back that has signalled all phases before `signalled`.
    pub(super) fn deregister(&mut self, mode: Mode, signalled: u64) {
        if !mode.signals() {
            return;
        }
        self.signallers -= 1;
        self.count(self.phase..signalled, -1);
        if self.signallers > 0 {
            self.complete();
        } else if self.held {
            // The phase ends with its single statement.
        } else {
            self.end();
        }
    }

    /// The last signaller has gone.
    fn end(&mut self) {
        self.phase += 1;
        self.signals.clear();
        self.over = true;
    }

    fn count(&mut self, phases: std::ops::Range<u64>, change: i32) {
        for phase in phases {
            let ahead = (phase - self.phase) as usize;
            if self.signals.len() <= ahead {
                self.signals.resize(ahead + 1, 0);
            }
            self.signals[ahead] = self.signals[ahead].wrapping_add_signed(change);
        }
    }

    /// A party signals `phase`, which it has not signalled before.
    pub(super) fn signal(&mut self, phase: u64) {
        self.count(phase..phase + 1, 1);
        self.complete();
    }

    /// The same by one who offers a single statement. True if it is to be run, by the caller, before
    /// [`release`](Self::release).
    pub(super) fn signal_single(&mut self, phase: u64) -> bool {
        self.count(phase..phase + 1, 1);
        // Who came while the last phase's statement ran is a phase ahead.
        let last = !self.held && self.has_all_signals();
        self.held |= last;
        last
    }

    fn has_all_signals(&self) -> bool {
        self.signallers > 0 && self.signals.front() == Some(&self.signallers)
    }

    /// Ends the phase if all have signalled it.
    fn complete(&mut self) {
        if self.held || !self.has_all_signals() {
            return;
        }
        if self.singles.is_empty() {
            self.advance();
        } else {
            self.held = true;
            self.electing = true;
        }
    }

    /// The single statement of the phase has been run.
    pub(super) fn release(&mut self) {
        debug_assert!(self.held);
        self.held = false;
        if self.signallers > 0 {
            self.advance();
        } else {
            self.end();
        }
    }

    /// Who was chosen to run the single statement does not do it.
    pub(super) fn decline(&mut self) {
        debug_assert!(self.held && !self.electing);
        if self.singles.is_empty() {
            self.release();
        } else {
            self.electing = true;
        }
    }

    /// Ends the phase, and those after it that all have signalled already.
    fn advance(&mut self) {
        self.phase += 1;
        self.signals.pop_front();
        while self.has_all_signals() && self.singles.is_empty() {
            self.phase += 1;
            self.signals.pop_front();
        }
        self.complete();
    }

    /// Takes somebody out of his queue whose wait is over, or who is to run the single statement.
    pub(super) fn serve(&mut self) -> Option<Waker> {
        let (phase, over) = (self.phase, self.over);
        let passed = |waits: u64| over || waits < phase;
        if let Some(waker) = self.waiting.serve_if(passed) {
            return Some(waker);
        }
        if let Some(waker) = self.singles.serve_if(passed) {
            return Some(waker);
        }
        if !std::mem::take(&mut self.electing) {
            return None;
        }
        let chosen = self.singles.serve();
        if chosen.is_none() {
            // They have all left since.
            self.release();
            return self.serve();
        }
        chosen
    }
}
