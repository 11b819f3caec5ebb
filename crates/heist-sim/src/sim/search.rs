//! A worker without work.

use super::World;
use super::places::Set;
use super::slot::{Request, State};
use super::stack::Entry;
use crate::agenda::NEVER;
use crate::{Protocol, Time, Victims};

/// The maximum number of tasks that one steal claims.
const TASKS_AT_ONCE: usize = 32;
/// The minimum and the maximum time that a thief waits before it forces exposure. These bounds and the constants `STREAK`, `SHORT` and
/// `DOUBLINGS` are the rules of the runtime (`worker/steal/backoff.rs`). After `STREAK` successful forces in a row, a thief waits for
/// `SHORT`. Each failed force doubles the wait, at most `DOUBLINGS` times.
const BOUNDS: (Time, Time) = (4_000_000, 24_000_000);
const STREAK: u32 = 2;
const SHORT: Time = 500_000;
const DOUBLINGS: u32 = 2;

/// A force in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forcing {
    victim: usize,
    /// The victim's [`moves`](super::slot::Slot::moves) when the force began.
    moves: u32,
}

impl World<'_> {
    /// Makes one attempt to steal.
    pub(super) fn search(&mut self, slot: usize, now: Time) {
        self.places.watching.remove(slot);
        let now = self.end_force(slot, now);
        if let Some((at, scope)) = self.queue.pop_front() {
            let mut then = self.use_queue(now);
            self.turn(slot, State::Run, then);
            let more = self.queue.len() + self.places.public.len() + self.places.stocked.len();
            if more > 0 && self.places.searching.len() == 0 {
                then = self.notify(slot, then);
            }
            return self.start(slot, Entry::Task { at, scope }, then);
        }
        if self.splits() {
            self.look_around(slot, now);
        } else {
            self.attempt(slot, now);
        }
    }

    /// Returns the time at which an access to the shared queue is over.
    pub(super) fn use_queue(&mut self, now: Time) -> Time {
        self.queue_taken = now.max(self.queue_taken) + self.price.queue;
        self.queue_taken
    }

    /// Makes an attempt of the return-barrier protocol: takes a public frame if a worker has one. Otherwise the thief
    /// requests frames from all workers, and forces one victim when its backoff is over.
    fn look_around(&mut self, slot: usize, now: Time) {
        if let Some((victim, looks)) = self.scan(slot) {
            let since = self.slots[slot].saw_private;
            let then = now
                + self.price.look * looks
                + self.price.probe
                + self.price.claim
                + 2 * self.way(slot, victim);
            let stack = self.robbable(victim);
            return self.got(
                slot,
                victim,
                stack,
                then,
                since.unwrap_or(now),
                since.is_none(),
            );
        }
        let private = self.places.stocked.len() > 0;
        if private
            && let Some(since) = self.slots[slot].saw_private
            && now >= since + self.backoff(slot)
            && let Some(victim) = self.places.stocked.any(&mut self.random)
        {
            // A victim has only one force at a time. If another thief forces this victim, this thief begins its backoff
            // again.
            self.slots[slot].saw_private = Some(now);
            if self.slots[victim].barrier.is_none() {
                self.begin_force(slot, victim, now);
                return;
            }
        }
        let then = now + self.ask_around(slot);
        let patience = self.slots[slot].hungry_since + self.price.patience;
        let look_again = if private {
            *self.slots[slot].saw_private.get_or_insert(now) + self.backoff(slot)
        } else {
            self.slots[slot].saw_private = None;
            if now >= patience {
                return self.sleep(slot, now);
            }
            patience
        };
        self.places.watching.insert(slot);
        self.agenda.set(slot, look_again.max(then));
    }

    /// Returns the time for which the thief `slot` waits before it forces exposure of private frames.
    fn backoff(&self, slot: usize) -> Time {
        let worker = &self.slots[slot];
        if worker.fruitful >= STREAK {
            return SHORT;
        }
        self.price.force.clamp(BOUNDS.0, BOUNDS.1) << worker.in_vain.min(DOUBLINGS)
    }

    fn begin_force(&mut self, slot: usize, victim: usize, now: Time) {
        let stack = self.slots[victim].stack;
        let left = &self.stacks[stack as usize];
        let half = (left.deque.len() - left.public).div_ceil(2);
        self.slots[victim].barrier = Some((stack, left.public + half));
        self.slots[slot].forcing = Some(Forcing {
            victim,
            moves: self.slots[victim].moves,
        });
        self.disturb(victim);
        // The time of a force does not count as search time.
        self.slots[slot].hungry_since += self.price.force;
        self.agenda.set(slot, now + self.price.force);
    }

    /// Ends the fence of `slot`, if `slot` executes a fence: half of the victim's private frames become public, unless their owner has
    /// moved its barrier in the meantime. Returns the time at which `slot` continues.
    pub(super) fn end_force(&mut self, slot: usize, now: Time) -> Time {
        let Some(Forcing { victim, moves }) = self.slots[slot].forcing.take() else {
            return now;
        };
        self.slots[victim].barrier = None;
        let exposed = if self.slots[victim].moves == moves {
            self.force(victim)
        } else {
            0
        };
        let worker = &mut self.slots[slot];
        if exposed == 0 {
            (worker.fruitful, worker.in_vain) = (0, worker.in_vain + 1);
            worker.saw_private = None;
            return now;
        }
        (worker.fruitful, worker.in_vain) = (worker.fruitful + 1, 0);
        // One of the exposed frames is for this thief.
        self.news(slot, now, exposed - 1)
    }

    /// Sets the request words of all workers, and returns the time that the thief needs to set them.
    fn ask_around(&mut self, slot: usize) -> Time {
        let mut time = 0;
        // Usually all words are set already, so the thief skips the loop.
        if self.places.requested.len() + 1 < self.slots.len() || self.places.requested.has(slot) {
            for victim in 0..self.slots.len() {
                if victim != slot && !self.places.requested.has(victim) {
                    self.places.requested.insert(victim);
                    time += self.price.ask;
                }
            }
        }
        time
    }

    /// Makes an attempt of the other protocols: tries one victim.
    fn attempt(&mut self, slot: usize, now: Time) {
        if self.places.stocked.len() + self.places.public.len() == 0 {
            let patience = self.slots[slot].hungry_since + self.price.patience;
            if now >= patience {
                return self.sleep(slot, now);
            }
            self.places.watching.insert(slot);
            self.agenda.set(slot, patience);
            return;
        }
        let victim = self.victim(slot);
        self.slots[slot].tried = victim;
        let then = now + self.price.probe + 2 * self.way(slot, victim);
        if self.places.public.has(victim) {
            let stack = self.robbable(victim);
            return self.got(slot, victim, stack, then + self.price.claim, now, true);
        }
        if !self.places.stocked.has(victim) {
            return self.failed(slot, then);
        }
        let worker = &mut self.slots[victim];
        let stack = worker.stack;
        match self.machine.protocol {
            Protocol::StopVictim | Protocol::Polled => {
                // A mailbox of `Polled` has space for one request. Under `StopVictim`, thieves queue for a victim.
                let full = self.machine.protocol == Protocol::Polled && !worker.requests.is_empty();
                if full || worker.state != State::Run {
                    return self.failed(slot, then);
                }
                worker.requests.push_back(Request {
                    thief: slot,
                    since: now,
                });
                self.slots[slot].asked = victim;
                self.turn(slot, State::Asked, now);
                self.agenda.set(slot, NEVER);
            }
            Protocol::The => {
                if worker.locked > now {
                    return self.failed(slot, then);
                }
                let then = then + self.price.lock;
                worker.locked = then;
                self.got(slot, victim, stack, then + self.price.claim, now, true);
            }
            Protocol::ChaseLev | Protocol::ReturnBarrier => {
                self.got(slot, victim, stack, then + self.price.claim, now, true);
            }
        }
    }

    /// Handles a failed attempt.
    pub(super) fn failed(&mut self, slot: usize, now: Time) {
        self.outcome.failed += 1;
        if self.slots[slot].state != State::Search {
            self.turn(slot, State::Search, now);
        }
        let others = (self.slots.len() as u32 - 1).max(1);
        let worker = &mut self.slots[slot];
        worker.vain = worker.vain.saturating_add(1);
        let rounds = worker.vain / others;
        let pause = if worker.vain.is_multiple_of(others) {
            (self.price.pause << (rounds - 1).min(30)).min(self.price.pause_most)
        } else {
            0
        };
        self.agenda.set(slot, now + pause);
    }

    /// Completes a steal: moves entries from a stack of `victim` to the thief `slot`. The thief begins to run the first entry at `then`.
    pub(super) fn got(
        &mut self,
        slot: usize,
        victim: usize,
        stack: u32,
        mut then: Time,
        since: Time,
        free: bool,
    ) {
        let from = &self.stacks[stack as usize];
        let there = if self.splits() && self.slots[victim].stack == stack {
            from.public
        } else {
            from.deque.len()
        };
        let mut count = self.share(there);
        if self.splits() && matches!(from.deque.front(), Some(Entry::Task { .. })) {
            // A thief claims tasks in batches, whatever the setting for frames is.
            count = there.div_ceil(2).min(TASKS_AT_ONCE);
        }
        let Some(first) = self.take(stack) else {
            unreachable!("a theft of nothing")
        };
        for _ in 1..count {
            if let Some(entry) = self.take(stack) {
                self.stack_mut(slot).deque.push_back(entry);
            }
        }
        self.outcome.steals += count as u64;
        if free {
            self.outcome.free_steals += count as u64;
        }
        self.outcome.latency.add(then.saturating_sub(since));
        self.refresh(victim);
        self.turn(slot, State::Run, then);
        let worker = &mut self.slots[slot];
        worker.robbed = Some(victim);
        worker.vain = 0;
        worker.saw_private = None;
        if count > 1 {
            self.refresh(slot);
            then = self.news(slot, then, count - 1);
        }
        if self.places.searching.len() == 0 && self.places.asleep.len() > 0 {
            // The last searcher arranges that present and later work wakes a worker.
            if self.splits() {
                then += self.ask_around(slot);
            }
            if self.places.public.len() + self.places.stocked.len() > 0 {
                then = self.notify(slot, then);
            }
        }
        self.start(slot, first, then);
    }

    fn sleep(&mut self, slot: usize, now: Time) {
        self.turn(slot, State::Asleep, now);
        self.slots[slot].saw_private = None;
        self.slots[slot].vain = 0;
        self.agenda.set(slot, NEVER);
    }

    /// Returns the stack of `victim` from which a thief can take entries without a request.
    fn robbable(&self, victim: usize) -> u32 {
        let worker = &self.slots[victim];
        if self.splits() && self.stacks[worker.stack as usize].public > 0 {
            return worker.stack;
        }
        let left = |&&stack: &&u32| !self.stacks[stack as usize].deque.is_empty();
        match worker.waiting.iter().find(left) {
            Some(&stack) => stack,
            None => unreachable!("nothing public where something was said to be"),
        }
    }

    /// Returns three ranges of workers around `slot`: the workers that share its cache, the workers of its node, and all workers.
    fn circles(&self, slot: usize) -> [(usize, usize); 3] {
        let all = self.slots.len();
        [
            self.machine.topology.per_cache,
            self.machine.topology.per_node,
            all,
        ]
        .map(|size| {
            let from = slot / size * size;
            (from, (from + size).min(all))
        })
    }

    /// Searches for a worker with public frames, in the machine's order of victims. Returns this worker, and the number of unsuccessful
    /// looks at other workers. Returns `None` if no worker has public frames.
    fn scan(&mut self, slot: usize) -> Option<(usize, u64)> {
        let all = self.slots.len();
        let public: &Set = &self.places.public;
        if public.len() == 0 {
            return None;
        }
        let mut looks = 0;
        if self.machine.victims == Victims::Last
            && let Some(last) = self.slots[slot].robbed
        {
            if public.has(last) {
                return Some((last, 0));
            }
            looks = 1;
        }
        let circles = match self.machine.victims {
            Victims::Hierarchical => self.circles(slot),
            _ => [(0, all); 3],
        };
        for (from, to) in circles {
            let start = match self.machine.victims {
                Victims::RoundRobin => (self.slots[slot].tried + 1) % all,
                _ => from + self.random.below((to - from) as u64) as usize,
            };
            if let Some(victim) = self.places.public.round(start, from, to)
                && victim >= from
            {
                self.slots[slot].tried = victim;
                let steps = (victim + to - from - start) % (to - from);
                return Some((victim, looks + steps as u64));
            }
            looks += (to - from) as u64;
        }
        None
    }

    /// Returns the victim of the next attempt. The thief chooses itself as the victim only if one of its own waiting stacks has entries.
    fn victim(&mut self, slot: usize) -> usize {
        let all = self.slots.len();
        if self.places.public.has(slot) {
            return slot;
        }
        if all == 1 {
            return 0;
        }
        let (from, to) = match self.machine.victims {
            Victims::Last if self.slots[slot].vain == 0 && self.slots[slot].robbed.is_some() => {
                return self.slots[slot].robbed.unwrap_or(0);
            }
            Victims::Random | Victims::Last => (0, all),
            Victims::RoundRobin => {
                let next = (self.slots[slot].tried + 1) % all;
                return if next == slot { (next + 1) % all } else { next };
            }
            Victims::Hierarchical => {
                // Make as many attempts in each range as the range has workers.
                let vain = self.slots[slot].vain as usize;
                let circles = self.circles(slot);
                let near = circles
                    .into_iter()
                    .find(|(from, to)| to - from > 1 && vain < to - from);
                near.unwrap_or(circles[2])
            }
        };
        // The range has one worker less, because the thief itself is left out.
        let victim = from + self.random.below((to - from - 1) as u64) as usize;
        if victim >= slot { victim + 1 } else { victim }
    }
}
