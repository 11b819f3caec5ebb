//! The work of a member from its entry to its end. The models run this code on a small number of members.

use super::busy_count::BusyCount;
use super::steps;

/// The functions that a member calls.
pub(super) trait World {
    type Item;

    /// Returns true if the worklist was stopped. If the worklist was stopped, every member leaves, even if items are left.
    fn is_stopped(&self) -> bool;
    /// Takes an item from the member's own deque.
    fn pop(&mut self) -> Option<Self::Item>;
    /// Runs the closure on an item.
    fn run(&mut self, item: Self::Item);
    /// Returns true if there may be seeds.
    fn has_seeds(&self) -> bool;
    /// Draws some seeds into the member's own deque. Adds the member to the busy count before the
    /// first seed (W4). If the result is `Nothing`, the busy count does not include the member.
    fn draw(&mut self, busy_count: &BusyCount) -> Draw;
    /// Returns the victims to try.
    fn victims(&mut self) -> Victims;
    /// Returns true if this victim seems to have nothing to steal.
    fn looks_empty(&self, victim: usize) -> bool;
    /// Tries to steal an item from this victim.
    fn steal(&mut self, victim: usize) -> Option<Self::Item>;
    /// Waits for a moment. Returns false if the member has waited up to its limit, and must leave.
    fn wait(&mut self) -> bool;
}

/// The result of drawing seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// The member's own deque has some seeds now.
    Some,
    /// Another thread is drawing, or an earlier `draw` found no seeds left.
    Nothing,
    /// No seeds are left. Only one call of `draw` returns `Dry`, and subtracts the seeds' unit from the busy count.
    Dry,
}

/// The numbers of all members except one, in cyclic order, from an arbitrary first number.
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
    /// The member's own deque is empty, and the other deques seem to be empty.
    Idle,
}

/// Runs a member until it leaves. If `busy` is true, the busy count includes the caller already.
///
/// The comments name the steps of `DESIGN.md`.
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

/// Looks for an item or for seeds. Returns the item, or `None` if the call has drawn seeds into the member's own deque. If this call finds
/// an item or seeds, the busy count includes the caller afterwards.
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
                    // One unit belongs to the seeds, the other to the member.
                    busy_count.leave();
                    busy_count.leave();
                }
            }
        }
        for victim in world.victims() {
            if world.looks_empty(victim) {
                continue;
            }
            // W5. A mutant does this step after W6.
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
