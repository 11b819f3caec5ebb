//! The owner's side of each protocol: pushes, pops and poll points.

use super::World;
use super::slot::{Request, State};
use super::stack::{Entry, Join, Open};
use crate::machine::ps;
use crate::{Amount, Protocol, Time};

/// After an exposure by force, the victim exposes frames at this number of forks without a request.
const EAGER: u32 = 8;

impl World<'_> {
    /// Returns true if the protocol divides deques into a private and a public part.
    pub(super) fn splits(&self) -> bool {
        self.machine.protocol == Protocol::ReturnBarrier
    }

    /// Returns the additional time of a message between these two workers, compared with a message
    /// to a near worker.
    pub(super) fn way(&self, a: usize, b: usize) -> Time {
        ps(self.machine.distance(a, b))
    }

    /// Handles a push of an entry onto the deque of `slot`. Returns the time at which the worker
    /// continues.
    #[inline]
    pub(super) fn pushed(&mut self, slot: usize, now: Time) -> Time {
        self.places.stocked.insert(slot);
        if self.splits() {
            if self.places.requested.has(slot) {
                return self.answer_request(slot, now);
            }
            return now;
        }
        self.news(slot, now, 1)
    }

    /// Handles the pop of the newest entry from the deque of `slot`. Returns the time at which the
    /// worker continues.
    #[inline]
    pub(super) fn popped(&mut self, slot: usize, mut now: Time) -> Time {
        let on = self.slots[slot].stack;
        let stack = &mut self.stacks[on as usize];
        let len = stack.deque.len();
        match self.machine.protocol {
            Protocol::ReturnBarrier => {
                let raised = |(stack, above)| stack == on && len < above;
                if stack.public > len || self.slots[slot].barrier.is_some_and(raised) {
                    if stack.public > len {
                        stack.public = len / 2;
                    }
                    self.slots[slot].barrier = None;
                    let time = self.price.barrier;
                    now += time;
                    self.outcome.barrier_hits += 1;
                    self.outcome.barrier_time += time;
                    self.slots[slot].moves += 1;
                    self.refresh(slot);
                    if self.places.requested.has(slot) && self.places.stocked.has(slot) {
                        now = self.answer_request(slot, now);
                    }
                } else if stack.public == len {
                    self.places.stocked.remove(slot);
                }
                return now;
            }
            Protocol::ChaseLev => {
                now += self.price.fence;
                if len == 0 {
                    now += self.price.last;
                }
            }
            Protocol::The => {
                now += self.price.fence;
                if len == 0 && self.slots[slot].locked > now {
                    self.slots[slot].lost += self.slots[slot].locked - now;
                    now = self.slots[slot].locked;
                }
            }
            Protocol::StopVictim | Protocol::Polled => {}
        }
        if len == 0 {
            self.places.stocked.remove(slot);
        }
        now
    }

    /// Answers a request: makes the older half of the private frames of `slot` public. Returns the
    /// time at which the worker continues.
    fn answer_request(&mut self, slot: usize, now: Time) -> Time {
        self.places.requested.remove(slot);
        let exposed = self.expose_half(slot);
        if exposed == 0 {
            self.places.requested.insert(slot);
            return now;
        }
        self.outcome.exposes += 1;
        self.slots[slot].moves += 1;
        self.slots[slot].barrier = None;
        self.slots[slot].lost += self.price.expose;
        if self.slots[slot].eager > 0 {
            self.slots[slot].eager -= 1;
            self.places.requested.insert(slot);
        }
        let now = self.news(slot, now + self.price.expose, exposed);
        if self.places.watching.len() > 0 {
            // A thief that got no frame immediately requests a frame again.
            self.places.requested.insert(slot);
        }
        now
    }

    pub(super) fn expose_half(&mut self, slot: usize) -> usize {
        let stack = self.stack_mut(slot);
        let exposed = (stack.deque.len() - stack.public).div_ceil(2);
        stack.public += exposed;
        self.refresh(slot);
        exposed
    }

    /// Ends a thief's force: exposes half of the private frames of `victim`. Returns the number of
    /// exposed frames.
    pub(super) fn force(&mut self, victim: usize) -> usize {
        let exposed = self.expose_half(victim);
        if exposed > 0 {
            self.outcome.forced += 1;
            self.slots[victim].eager = EAGER;
            self.places.requested.insert(victim);
        }
        exposed
    }

    /// Delays a running victim by an interrupt, because a thief's heavy fence interrupts the victim.
    pub(super) fn disturb(&mut self, victim: usize) {
        if self.slots[victim].state == State::Run {
            let time = self.agenda.time(victim) + self.price.interrupt;
            self.slots[victim].lost += self.price.interrupt;
            self.agenda.set(victim, time);
        }
    }

    /// Announces `count` new entries at `slot`: watching workers notice them. If no worker searches, `slot` wakes a sleeper. Returns the
    /// time at which `slot` continues.
    #[inline]
    pub(super) fn news(&mut self, slot: usize, now: Time, count: usize) -> Time {
        if self.places.watching.len() > 0 {
            let some = if self.splits() {
                count
            } else {
                self.places.watching.len()
            };
            // The thief sees the entries at a random point of its round of looks.
            let round = if self.splits() {
                self.price.look * (self.slots.len() as u64 - 1)
            } else {
                self.price.probe
            };
            for _ in 0..some {
                let Some(thief) = self.places.watching.any(&mut self.random) else {
                    break;
                };
                self.places.watching.remove(thief);
                let delay = self.random.below(round + 1);
                self.agenda.set(thief, now + delay);
            }
            return now;
        }
        if self.places.searching.len() == 0 {
            return self.notify(slot, now);
        }
        now
    }

    /// Wakes a sleeper, if a worker sleeps. Returns the time at which the waker `slot` continues.
    pub(super) fn notify(&mut self, slot: usize, now: Time) -> Time {
        let Some(sleeper) = self.places.asleep.any(&mut self.random) else {
            return now;
        };
        self.outcome.wakes += 1;
        self.slots[slot].waking += self.price.notify;
        self.rise(sleeper, now + self.price.wake);
        now + self.price.notify
    }

    /// Makes the woken sleeper `slot` begin to search at `then`.
    pub(super) fn rise(&mut self, slot: usize, then: Time) {
        self.turn(slot, State::Search, then);
        self.slots[slot].hungry_since = then;
        self.agenda.set(slot, then);
    }

    /// Answers all requests to `slot` at a poll point. Returns the time at which the worker
    /// continues.
    #[inline]
    pub(super) fn poll(&mut self, slot: usize, mut now: Time) -> Time {
        while let Some(request) = self.slots[slot].requests.pop_front() {
            now = self.answer(slot, now, request);
        }
        now
    }

    #[cold]
    fn answer(&mut self, slot: usize, now: Time, request: Request) -> Time {
        let (thief, way) = (request.thief, self.way(slot, request.thief));
        let has = !self.stack(slot).deque.is_empty();
        let stop = match (self.machine.protocol, has) {
            (Protocol::StopVictim, true) => self.price.handshake + self.price.take + 2 * way,
            (Protocol::StopVictim, false) => self.price.handshake + 2 * way,
            (_, true) => self.price.answer,
            (_, false) => 0,
        };
        self.slots[slot].lost += stop;
        let then = now + stop + self.price.message + way;
        if has {
            let stack = self.slots[slot].stack;
            self.got(thief, slot, stack, then, request.since, false);
        } else {
            self.failed(thief, then);
        }
        now + stop
    }

    /// Refuses all requests to `slot`, which has no work left.
    pub(super) fn refuse(&mut self, slot: usize, now: Time) {
        while let Some(request) = self.slots[slot].requests.pop_front() {
            self.failed(request.thief, now + self.price.message);
        }
    }

    /// Returns the number of entries that a thief takes from a deque of `there` entries.
    pub(super) fn share(&self, there: usize) -> usize {
        match self.machine.amount {
            Amount::One => 1,
            Amount::Half => there.div_ceil(2),
        }
    }

    /// Takes the oldest entry out of a stack's deque, and returns it in a form that another stack can run.
    pub(super) fn take(&mut self, stack_id: u32) -> Option<Entry> {
        let stack = &mut self.stacks[stack_id as usize];
        let entry = stack.deque.pop_front()?;
        stack.gone += 1;
        stack.public = stack.public.saturating_sub(1);
        let Entry::Own(index) = entry else {
            return Some(entry);
        };
        match stack.open[index as usize] {
            Open::Left { at, .. } => {
                let join = self.new_join(Join {
                    stack: stack_id,
                    end: None,
                    waits: false,
                });
                self.stacks[stack_id as usize].open[index as usize] = Open::Left { at, join };
                let at = self.dag.end_of_branch(at);
                Some(Entry::Branch { at, join })
            }
            Open::Child { scope, at, .. } => {
                stack.open[index as usize] = Open::Child {
                    scope,
                    at,
                    gone: true,
                };
                self.scopes[scope as usize].pending += 1;
                let at = self.dag.end_of_branch(at);
                Some(Entry::Rest { at, scope })
            }
            other => unreachable!("a frame of {other:?}"),
        }
    }
}
