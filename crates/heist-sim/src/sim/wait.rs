//! Waiting for a stolen frame or for a scope, and continuing after that.

use super::World;
use super::slot::State;
use super::stack::{Entry, Open, Stack};
use crate::Time;

impl World<'_> {
    pub(super) fn stack(&self, slot: usize) -> &Stack {
        &self.stacks[self.slots[slot].stack as usize]
    }

    pub(super) fn stack_mut(&mut self, slot: usize) -> &mut Stack {
        &mut self.stacks[self.slots[slot].stack as usize]
    }

    /// Changes the state of worker `slot`.
    pub(super) fn turn(&mut self, slot: usize, state: State, now: Time) {
        let worker = &mut self.slots[slot];
        worker.settle(now);
        let runs = |state| matches!(state, State::Run | State::Resume);
        let before = std::mem::replace(&mut worker.state, state);
        match (runs(before), runs(state)) {
            (false, true) => self.running += 1,
            (true, false) => self.running -= 1,
            _ => {}
        }
        let searches = matches!(state, State::Search | State::Asked);
        self.places.searching.put(slot, searches);
        self.places.asleep.put(slot, state == State::Asleep);
        self.places.watching.remove(slot);
    }

    /// Puts the stack of `slot` aside to wait. The worker then looks for other work, on another stack.
    pub(super) fn block(&mut self, slot: usize, now: Time) {
        self.outcome.waits += 1;
        let stack = self.slots[slot].stack;
        self.stacks[stack as usize].since = now;
        self.slots[slot].waiting.push(stack);
        let empty = self.new_stack(slot);
        self.slots[slot].stack = empty;
        let left = !self.stacks[stack as usize].deque.is_empty();
        self.refresh(slot);
        let now = if left { self.news(slot, now, 1) } else { now };
        self.boundary(slot, now);
    }

    /// Ends the wait of a stack. A worker without work continues the stack. If all workers have work, the next worker that becomes free
    /// continues the stack.
    pub(super) fn ready(&mut self, stack: u32, now: Time) {
        let home = self.stacks[stack as usize].home;
        let free = |state| matches!(state, State::Search | State::Asked | State::Asleep);
        let slot = if free(self.slots[home].state) {
            Some(home)
        } else {
            // Another thread has the slot of the stack's thread. The stack's thread wakes up and takes a free
            // slot.
            let places = &self.places;
            let random = &mut self.random;
            places
                .searching
                .any(random)
                .or_else(|| places.asleep.any(random))
        };
        match slot {
            Some(slot) => {
                let slept = now.saturating_sub(self.stacks[stack as usize].since) > self.price.spin;
                let time = if slept {
                    self.price.wake
                } else {
                    self.price.notice
                };
                self.go_on(slot, stack, now, time);
            }
            None => self.ready.push_back(stack),
        }
    }

    /// Makes worker `slot`, which runs no stack, continue a stack that has waited.
    fn go_on(&mut self, slot: usize, stack: u32, now: Time, time: Time) {
        if self.slots[slot].state == State::Asked {
            let victim = self.slots[slot].asked;
            self.slots[victim]
                .requests
                .retain(|request| request.thief != slot);
        }
        // The worker may still be waking another worker, waking up itself, or executing a fence.
        let mut now = now.max(self.slots[slot].since);
        if self.slots[slot].forcing.is_some() {
            now = self.agenda.time(slot).max(now);
            now = self.end_force(slot, now);
        }
        self.turn(slot, State::Resume, now);
        self.free_stacks.push(self.slots[slot].stack);
        self.slots[slot].stack = stack;
        let home = std::mem::replace(&mut self.stacks[stack as usize].home, slot);
        self.slots[home].waiting.retain(|&waiting| waiting != stack);
        let stack = &mut self.stacks[stack as usize];
        // While the stack waited, all its entries were public, and these entries stay public.
        stack.public = stack.deque.len();
        self.refresh(home);
        self.refresh(slot);
        self.slots[slot].saw_private = None;
        self.agenda.set(slot, now + time);
    }

    /// Continues the stack of `slot` at the join or scope for which it waited.
    pub(super) fn resume(&mut self, slot: usize, now: Time) {
        self.turn(slot, State::Run, now);
        match self.stack(slot).open.last() {
            Some(Open::Left { .. }) => self.retire(slot, now),
            Some(Open::Scope { .. }) => self.scope_end(slot, now),
            other => unreachable!("a wait in {other:?}"),
        }
    }

    /// Handles the end of all work on the stack of `slot`. If the worker has entries of its last theft, it runs one of these entries.
    /// Otherwise it continues a stack whose wait is over, or searches.
    pub(super) fn boundary(&mut self, slot: usize, now: Time) {
        if !self.ready.is_empty() && self.stack(slot).deque.is_empty() {
            let own = |&stack: &u32| self.stacks[stack as usize].home == slot;
            let place = self.ready.iter().position(own).unwrap_or(0);
            if let Some(stack) = self.ready.remove(place) {
                self.refuse(slot, now);
                return self.go_on(slot, stack, now, self.price.notice);
            }
        }
        match self.stack_mut(slot).deque.pop_back() {
            Some(entry) => {
                let now = self.popped(slot, now);
                self.start(slot, entry, now);
            }
            None => {
                self.refuse(slot, now);
                self.turn(slot, State::Search, now);
                self.slots[slot].hungry_since = now;
                self.agenda.set(slot, now);
            }
        }
    }

    /// Makes `slot` run an entry that came from another stack.
    pub(super) fn start(&mut self, slot: usize, entry: Entry, now: Time) {
        let (open, at) = match entry {
            Entry::Branch { at, join } => (Open::Stolen { join }, at),
            Entry::Task { at, scope } => (Open::Far { scope }, at),
            Entry::Rest { at, scope } => (Open::Body { scope }, at),
            Entry::Own(_) => unreachable!("an own frame below an empty stack"),
        };
        self.stack_mut(slot).open.push(open);
        self.goto(slot, at + 1, now);
    }

    /// Updates the sets that tell thieves whether `slot` has private or public entries.
    pub(super) fn refresh(&mut self, slot: usize) {
        let keeps = self.splits();
        let worker = &self.slots[slot];
        let stack = &self.stacks[worker.stack as usize];
        let guarded = if keeps { stack.public } else { 0 };
        let left = worker
            .waiting
            .iter()
            .any(|&stack| !self.stacks[stack as usize].deque.is_empty());
        self.places.stocked.put(slot, stack.deque.len() > guarded);
        self.places.public.put(slot, guarded > 0 || left);
    }
}
