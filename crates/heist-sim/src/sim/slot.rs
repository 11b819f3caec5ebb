//! A worker.

use super::search::Forcing;
use crate::Time;
use std::collections::VecDeque;

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The worker runs its stack. The worker's time in the agenda is the end of the current strand.
    Run,
    /// The worker is about to continue a stack that has waited. The worker's time in the agenda is the time at which it continues.
    Resume,
    /// The worker searches. The worker's time in the agenda is the time of its next attempt to steal.
    Search,
    /// The worker has sent a request to a victim, and waits for the answer.
    Asked,
    /// The worker sleeps.
    Asleep,
}

/// A thief's request to its victim.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) thief: usize,
    pub(super) since: Time,
}

/// A worker.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) state: State,
    /// The stack that the worker runs, or an empty stack.
    pub(super) stack: u32,
    /// The waiting stacks of which this worker is the home.
    pub(super) waiting: Vec<u32>,
    /// Requests to this worker.
    pub(super) requests: VecDeque<Request>,
    /// The victim to which this worker has sent a request.
    pub(super) asked: usize,
    /// The number of further forks at which the worker exposes frames without a request, after a forced exposure.
    pub(super) eager: u32,
    /// The number of times that the worker has moved its barrier.
    pub(super) moves: u32,
    /// The new barrier of a force in progress against this worker: the stack, and the number of entries below the
    /// barrier.
    pub(super) barrier: Option<(u32, usize)>,
    /// The force that this worker has in progress. `fruitful` counts its latest successful forces in a row, and `in_vain` its latest failed
    /// forces in a row.
    pub(super) forcing: Option<Forcing>,
    pub(super) fruitful: u32,
    pub(super) in_vain: u32,
    /// The time since which the worker searches or sleeps.
    pub(super) since: Time,
    /// The time since which the worker has found no work; a wake-up resets it.
    pub(super) hungry_since: Time,
    /// The time at which the worker first saw private frames in this search.
    pub(super) saw_private: Option<Time>,
    /// The number of failed attempts in a row.
    pub(super) vain: u32,
    /// The victim of the last attempt. `robbed` is the victim of the last theft.
    pub(super) tried: usize,
    pub(super) robbed: Option<usize>,
    /// The time until which a thief holds the lock of the worker's deque.
    pub(super) locked: Time,
    pub(super) lost: Time,
    /// The time that the worker has spent on waking other workers.
    pub(super) waking: Time,
    pub(super) search: Time,
    pub(super) asleep: Time,
    /// The state for which the time up to `since` was counted.
    booked: State,
}

impl Slot {
    pub(super) fn asleep() -> Slot {
        Slot {
            state: State::Asleep,
            stack: 0,
            waiting: Vec::new(),
            requests: VecDeque::new(),
            asked: 0,
            eager: 0,
            moves: 0,
            barrier: None,
            forcing: None,
            fruitful: 0,
            in_vain: 0,
            since: 0,
            hungry_since: 0,
            saw_private: None,
            vain: 0,
            tried: 0,
            robbed: None,
            locked: 0,
            lost: 0,
            waking: 0,
            search: 0,
            asleep: 0,
            booked: State::Run,
        }
    }

    /// Adds the time since the last change of state to the total of the current state. If `since` is later than `now`, because a change of
    /// state was counted in advance, first subtracts the time between `now` and `since` from the total to which it was added.
    pub(super) fn settle(&mut self, now: Time) {
        let beyond = self.since.saturating_sub(now);
        match self.booked {
            State::Search | State::Asked => self.search -= beyond,
            State::Asleep => self.asleep -= beyond,
            State::Run | State::Resume => {}
        }
        let time = now.saturating_sub(self.since);
        match self.state {
            State::Search | State::Asked => self.search += time,
            State::Asleep => self.asleep += time,
            State::Run | State::Resume => {}
        }
        self.booked = self.state;
        self.since = now;
    }
}
