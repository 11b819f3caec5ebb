//! Limits how often a worker that spawns or forks in a row answers steal requests.

use crate::platform::{Ticks, ticks};
use std::cell::Cell;

/// Limits how often a worker answers thieves that are awake.
///
/// Giving away a task that was just spawned costs the spawner and the thief some hundred nanoseconds each. If the task itself takes
/// less, the thief asks again at once, and the spawner only gives tasks away, one at a time: 100,000 tasks of a nanosecond in one
/// scope took 15 times as long with a thief as without. The same holds for loops of a microsecond that are split again wherever a
/// part is stolen: two workers stole back and forth eight times in each.
#[derive(Debug)]
pub(in crate::worker) struct ResponseThrottle {
    /// The mean time between two answers, once there were many. It is some microseconds, in which several tiny tasks accumulate, and
    /// about as long as a thief waits before it uses force. (In nanoseconds where the clock has no finer ticks.)
    gap: Ticks,
    /// Number of answers that may come in a row without a gap.
    at_once: Ticks,
    /// The time at which the answers so far would end if they came with [`gap`](Self::gap) between them.
    paid_until: Cell<Ticks>,
}

impl ResponseThrottle {
    /// Returns the throttle after spawns. It permits many answers at once, because the first tasks of a scope may be
    /// all that the scope has. Twice or four times the gap is no better.
    pub(in crate::worker) fn of_tasks() -> Self {
        ResponseThrottle::new(12_000, 16)
    }

    /// Returns the throttle after forks. It permits few answers at once, because the first fork of a loop contains half of the
    /// loop.
    pub(in crate::worker) fn of_forks() -> Self {
        ResponseThrottle::new(24_000, 2)
    }

    fn new(gap: Ticks, at_once: Ticks) -> Self {
        ResponseThrottle {
            gap,
            at_once,
            paid_until: Cell::new(0),
        }
    }

    /// Returns true if the worker may answer now, and then counts an answer.
    pub(in crate::worker) fn is_due(&self) -> bool {
        self.is_due_at(ticks())
    }

    fn is_due_at(&self, now: Ticks) -> bool {
        let paid_until = self.paid_until.get().max(now);
        let due = paid_until - now < self.at_once * self.gap;
        if due {
            self.paid_until.set(paid_until + self.gap);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::ResponseThrottle;

    #[test]
    fn the_first_ones_come_at_once_and_the_rest_at_their_pace() {
        let (gap, at_once) = (1000, 16);
        let throttle = ResponseThrottle::new(gap, at_once);
        let answered = |from, to| (from..to).filter(|now| throttle.is_due_at(*now)).count() as u64;
        assert_eq!(answered(1_000_000, 1_000_000 + gap), at_once + 1);
        assert_eq!(answered(1_000_000 + gap, 1_000_000 + 11 * gap), 10);
        // After a while the throttle starts anew.
        assert_eq!(answered(2_000_000, 2_000_000 + 10), 10);
    }
}
