//! Limits how often a worker answers steal requests while it spawns or forks in quick succession.

use crate::platform::{Ticks, ticks};
use std::cell::Cell;

/// A limit on how often a worker answers thieves that are awake.
///
/// If a thief takes a task that was just spawned, the transfer costs the spawner and the thief several hundred nanoseconds each. If the
/// task itself takes less time, the thief asks again immediately, and the spawner spends all its time on giving away single tasks. For
/// example, 100,000 tasks of a nanosecond in one scope took 15 times as long with a thief as without a thief. Short loops have the same
/// problem if thieves split the stolen parts again: in each loop of a microsecond, two workers stole from each other eight times.
#[derive(Debug)]
pub(in crate::worker) struct ResponseThrottle {
    /// The mean time between two answers in a long series of answers, in ticks. This mean is several microseconds, so several tiny tasks
    /// accumulate before each answer. A thief waits about as long before it uses force. (A tick is a nanosecond if the clock has no finer
    /// ticks.)
    gap: Ticks,
    /// Number of answers that may follow each other without a pause.
    at_once: Ticks,
    /// The end of the time that the earlier answers have used up. Each answer uses up the time [`gap`](Self::gap).
    paid_until: Cell<Ticks>,
}

impl ResponseThrottle {
    /// Returns the throttle for answers after spawns. This throttle permits many answers in a row, because a scope may have only a few
    /// tasks. A gap of two or four times this length made no program faster.
    pub(in crate::worker) fn of_tasks() -> Self {
        ResponseThrottle::new(12_000, 16)
    }

    /// Returns the throttle for answers after forks. This throttle permits few answers in a row, because the first fork of a loop contains
    /// half of the loop.
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

    /// Returns true if the worker may answer now. In that case, records that the worker answers.
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
        // After a pause the throttle permits several answers in a row again.
        assert_eq!(answered(2_000_000, 2_000_000 + 10), 10);
    }
}
