//! The time for which a thief waits for its victims before it uses force.

use std::cell::Cell;
use std::time::Duration;

/// Assumed cost of a force, before the first force has been measured.
const GUESS: Duration = Duration::from_micros(6);
/// Limits of a thief's backoff, whatever a force costs, unless recent forces give a reason for a shorter or longer
/// backoff. The lower limit is longer than the time between forks in all but coarse code: with 1.5 us, victims whose
/// leaves take 2 us (the rows of `heat`) were forced at every third step.
const BOUNDS: (Duration, Duration) = (Duration::from_micros(4), Duration::from_micros(24));
/// Number of successful forces in a row after which a thief assumes that its victims' leaves are longer than a
/// fence.
const STREAK: u32 = 2;
/// The backoff with victims whose leaves are longer than a fence.
const SHORT: Duration = Duration::from_nanos(500);
/// The maximum number of doublings of the backoff. Each failed force in a row doubles it.
const DOUBLINGS: u32 = 2;

/// A thief's backoff, which adapts to the results of its forces.
///
/// A force costs a fence, which takes a microsecond or two, or ten times as much on a virtual machine, where each
/// interrupt leaves the guest. A thief that first waits for as long as a force costs loses at most twice as much as a
/// thief that knows when its victim will answer (Karlin and others, *Competitive snoopy caching*, 1988). The results of
/// the thief's earlier forces improve this estimate.
#[derive(Debug)]
pub(in crate::worker) struct StealBackoff {
    /// The cost of a force, as a mean in which earlier forces count for three quarters.
    cost: Cell<Duration>,
    /// `fruitful` counts the latest forces in a row that made frames public; `vain` counts the latest forces in a row
    /// that found that the victim had answered before.
    fruitful: Cell<u32>,
    vain: Cell<u32>,
}

impl StealBackoff {
    pub(in crate::worker) fn new() -> Self {
        StealBackoff {
            cost: Cell::new(GUESS),
            fruitful: Cell::new(0),
            vain: Cell::new(0),
        }
    }

    /// Returns the time that victims now have for an answer.
    pub(in crate::worker) fn period(&self) -> Duration {
        if self.fruitful.get() >= STREAK {
            return SHORT;
        }
        let fair = self.cost.get().clamp(BOUNDS.0, BOUNDS.1);
        fair * (1 << self.vain.get().min(DOUBLINGS))
    }

    /// Records a force: its duration, and whether it made any frame public.
    pub(in crate::worker) fn learn(&self, took: Duration, fruitful: bool) {
        // The duration is limited, because the thread may have lost its processor meanwhile.
        let took = took.min(BOUNDS.1);
        self.cost.set((self.cost.get() * 3 + took) / 4);
        let (counts, other) = if fruitful {
            (&self.fruitful, &self.vain)
        } else {
            (&self.vain, &self.fruitful)
        };
        counts.set(counts.get().saturating_add(1));
        other.set(0);
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{BOUNDS, GUESS, SHORT, StealBackoff};
    use std::time::Duration;

    const COST: Duration = Duration::from_micros(12);

    #[test]
    fn a_thief_waits_as_long_as_a_force_costs() {
        let backoff = StealBackoff::new();
        assert_eq!(backoff.period(), GUESS);
        for round in 0..40 {
            backoff.learn(COST, round % 2 == 0);
        }
        backoff.learn(COST, true);
        let period = backoff.period();
        assert!(period.abs_diff(COST) < COST / 50, "{period:?}");
        for (cost, bound) in [
            (Duration::ZERO, BOUNDS.0),
            (Duration::from_secs(1), BOUNDS.1),
        ] {
            for _ in 0..40 {
                backoff.learn(cost, false);
                backoff.learn(cost, true);
            }
            let period = backoff.period();
            assert!(period.abs_diff(bound) < bound / 50, "{period:?}");
        }
    }

    #[test]
    fn it_is_short_with_victims_in_long_leaves_only() {
        let backoff = StealBackoff::new();
        backoff.learn(GUESS, true);
        assert_eq!(backoff.period(), GUESS);
        backoff.learn(GUESS, true);
        assert_eq!(backoff.period(), SHORT);
        backoff.learn(GUESS, false);
        assert_eq!(backoff.period(), GUESS * 2);
        for _ in 0..9 {
            backoff.learn(GUESS, false);
        }
        assert_eq!(backoff.period(), GUESS * 4);
        backoff.learn(GUESS, true);
        assert_eq!(backoff.period(), GUESS);
    }
}
