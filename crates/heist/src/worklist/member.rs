//! The work of a member from its entry to its end. The models run this code on a small number of members.

use super::busy_count::BusyCount;
use super::steps;

/// A member with its surroundings.
pub(super) trait World {
    type Item;

    /// Whether the worklist was stopped: then every member leaves, whatever is left.
    fn is_stopped(&self) -> bool;
    /// Takes an item from the own deque.
    fn pop(&mut self) -> Option<Self::Item>;
    /// Runs the closure.
    fn run(&mut self, item: Self::Item);
    /// Whether there may be seeds.
    fn has_seeds(&self) -> bool;
    /// Draws some seeds into the own deque, having entered the busy count (W4) before the first. Has entered only if there
    /// were some, or if it is dry.
    fn draw(&mut self, busy_count: &BusyCount) -> Draw;
    /// Victims to try.
    fn victims(&mut self) -> Victims;
    /// Whether this one seems to have nothing to steal.
    fn looks_empty(&self, victim: usize) -> bool;
    /// Tries to steal from this one.
    fn steal(&mut self, victim: usize) -> Option<Self::Item>;
    /// Spends some time. `false`: it has been enough.
    fn wait(&mut self) -> bool;
}

/// Result of drawing seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// The own deque has some now.
    Some,
    /// Another thread is drawing, or none were left before.
    Nothing,
    /// None are left; only one drawer gets this answer, and counts the seeds out.
    Dry,
}

/// All members except one, beginning at any of them.
#[derive(Clone, Debug)]
pub(super) struct Victims {
    members: usize,
    own: usize,
    next: usize,
    left: usize,
}

impl Victims {
    pub(super) fn of(own: usize, members: usize, first: usize) -> Self {
        Victims {
            members,
            own,
            next: first,
            left: members,
        }
    }
}

impl Iterator for Victims {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.left > 0 {
            let place = self.next;
            self.next = (place + 1) % self.members;
            self.left -= 1;
            if place != self.own {
                return Some(place);
            }
        }
        None
    }
}

/// Reason why a member leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No item is left, and none will come.
    Over,
    Stopped,
    /// The own deque is empty, and the others seem to be.
    Idle,
}

/// Works until the end. `busy`: the busy count knows of the caller already.
///
/// The numbers are those of the essay.
pub(super) fn work<W: World>(world: &mut W, busy_count: &BusyCount, mut busy: bool) -> End {
    loop {
        if !busy {
            match search(world, busy_count) {
                Ok(Some(item)) => world.run(item),
                Ok(None) => {}
                Err(end) => return end,
            }
        }
        // W1.
        loop {
            if world.is_stopped() {
                return End::Stopped;
            }
            let Some(item) = world.pop() else { break };
            world.run(item);
        }
        // W2.
        busy_count.leave();
        busy = false;
    }
}

/// Looks for an item, or for seeds, which are then in the own deque. If it finds any, the busy count
/// knows of the caller.
fn search<W: World>(world: &mut W, busy_count: &BusyCount) -> Result<Option<W::Item>, End> {
    loop {
        if world.is_stopped() {
            return Err(End::Stopped);
        }
        // W3.
        if busy_count.is_over() {
            return Err(End::Over);
        }
        if world.has_seeds() {
            // W4.
            match world.draw(busy_count) {
                Draw::Some => return Ok(None),
                Draw::Nothing => {}
                Draw::Dry => {
                    // For the seeds, and for itself.
                    busy_count.leave();
                    busy_count.leave();
                }
            }
        }
        for victim in world.victims() {
            if world.looks_empty(victim) {
                continue;
            }
            // W5. A mutant does it after W6.
            if steps::ENTER_FIRST {
                busy_count.enter();
            }
            // W6.
            if let Some(item) = world.steal(victim) {
                if !steps::ENTER_FIRST {
                    busy_count.enter();
                }
                return Ok(Some(item));
            }
            // W7.
            if steps::ENTER_FIRST {
                busy_count.leave();
            }
        }
        if !world.wait() {
            return Err(End::Idle);
        }
    }
}
