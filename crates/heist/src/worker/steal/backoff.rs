//! The time for which a thief waits for its victims before it uses force.

use std::cell::Cell;
use std::time::Duration;

/// Assumed cost of a force, before the first force has been measured.
const GUESS: Duration = Duration::from_micros(6);
/// The limits of a thief's backoff before it is adapted to the results of the latest forces. The lower limit is longer than the time
/// between the forks of most programs. With a limit of 1.5 us, thieves used force at every third step of the program `heat`, whose leaves
/// take 2 us.
const BOUNDS: (Duration, Duration) = (Duration::from_micros(4), Duration::from_micros(24));
/// A number of successive forces. If this many forces in a row succeed, the thief assumes that its victims fork rarely: the time between
/// two of their forks is longer than the time of a fence.
const STREAK: u32 = 2;
/// The backoff of a thief that makes this assumption about its victims.
const SHORT: Duration = Duration::from_nanos(500);
/// The maximum number of doublings of the backoff. Each force that came too late doubles the backoff, until a force succeeds.
const DOUBLINGS: u32 = 2;

/// A thief's backoff, which adapts to the results of its forces.
///
/// Each force includes a heavy fence. Such a fence takes a microsecond or two, but ten times as long on a virtual machine, where the
/// hypervisor must deliver each interrupt. If a thief first waits as long as a force takes, it loses at most twice as much time as a thief
/// that knows when its victim will answer (Karlin and others, *Competitive snoopy caching*, 1988). The thief also learns from the results
/// of its earlier forces.
#[derive(Debug)]
pub(in crate::worker) struct StealBackoff {
    /// The cost of a force: a moving mean, in which the latest force counts for one quarter.
    cost: Cell<Duration>,
    /// The length of the latest series of forces with the same result. If the last force made frames public, `fruitful` is this length and
    /// `vain` is 0. If the last force came too late, because the victim had already answered, `vain` is the length and `fruitful` is 0.
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

    /// Returns the time for which the thief now waits for answers.
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
