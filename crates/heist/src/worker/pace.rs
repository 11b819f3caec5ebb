//! How often who spawns in a row answers the hungry.

use crate::platform::{Ticks, ticks};
use std::cell::Cell;

/// The mean between two answers to spawns, once there were many: a few microseconds, in which tasks that take next to nothing come
/// together, and about what a thief waits before it uses force. (In nanoseconds where the clock has no finer ticks.) Twice or four
/// times as much is no better.
const GAP: Ticks = 12_000;
/// So many answers may come at once: the first tasks of a scope may be all that it has.
const AT_ONCE: Ticks = 16;

/// The pace of a worker's answers to thieves while it spawns tasks.
///
/// To give away a task that was just spawned takes both sides some hundred nanoseconds. If it takes less to run, its thief is
/// hungry again at once, and the spawner does nothing but give, one task at a time: 100,000 tasks of a nanosecond in one scope
/// took 15 times as long with a thief as without.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the answers so far would have been given with [`GAP`] between them.
    paid_until: Cell<Ticks>,
}

impl Pace {
    pub(super) fn new() -> Self {
        Pace {
            paid_until: Cell::new(0),
        }
    }

    /// Whether a spawn now is a time to answer; if so, it is taken to be answered.
    pub(super) fn is_due(&self) -> bool {
        self.is_due_at(ticks())
    }

    fn is_due_at(&self, now: Ticks) -> bool {
        let paid_until = self.paid_until.get().max(now);
        let due = paid_until - now < AT_ONCE * GAP;
        if due {
            self.paid_until.set(paid_until + GAP);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::{AT_ONCE, GAP, Pace};

    #[test]
    fn the_first_ones_come_at_once_and_the_rest_at_their_pace() {
        let pace = Pace::new();
        let answered = |from, to| (from..to).filter(|now| pace.is_due_at(*now)).count() as u64;
        assert_eq!(answered(1_000_000, 1_000_000 + GAP), AT_ONCE + 1);
        assert_eq!(answered(1_000_000 + GAP, 1_000_000 + 11 * GAP), 10);
        // After a while nothing is remembered.
        assert_eq!(answered(2_000_000, 2_000_000 + 10), 10);
    }
}
