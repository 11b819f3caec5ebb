//! The decision whether a searcher yields its processor to other threads.

use crate::platform::process_cpu_time;
use std::thread;
use std::time::{Duration, Instant};

/// The minimum duration of a yield that counts as long.
const LONG: Duration = Duration::from_micros(100);
/// The lengths of the periods without yields: the length of the first period, and the maximum length. A period begins after a long yield.
const SHY: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(64));

/// The state by which a searcher decides whether to yield its processor.
///
/// The work that has just ended may have woken a thread outside of the pool, for example the caller of a loop, and this thread now needs a
/// CPU. If there are no more CPUs than workers, and no searcher yields, the caller continues 14 us later. So a searcher begins with a
/// yield. But if other programs use the CPUs, too, one of them may run during the yield, for a time slice of several milliseconds. The
/// worker counts as a searcher during the yield, so the pool wakes no sleeper for a new job. (With two such programs on two CPUs, the
/// caller of an empty job continued after 2 ms with yields, and after 0.2 ms without yields.) So if a yield was long and this program
/// computed little during the yield, the searcher does not yield for a period. Each of these periods is longer than the previous period.
#[derive(Debug)]
pub(in crate::worker) struct SearchYield {
    /// The length of the last period without yields.
    shy: Duration,
    /// The end of the current period without yields.
    until: Option<Instant>,
}

impl SearchYield {
    pub(in crate::worker) fn new() -> Self {
        SearchYield {
            shy: Duration::ZERO,
            until: None,
        }
    }

    /// Yields to other threads, except in a period without yields.
    pub(in crate::worker) fn offer(&mut self) {
        let began = Instant::now();
        if self.until.is_some_and(|until| began < until) {
            return;
        }
        let used = process_cpu_time();
        thread::yield_now();
        let away = began.elapsed();
        let used_since = || Some(process_cpu_time()?.saturating_sub(used?));
        let costs = away > LONG && used_since().is_none_or(|used| used < away / 2);
        self.learn(costs, began + away);
    }

    fn learn(&mut self, costs: bool, now: Instant) {
        if costs {
            self.shy = (self.shy * 4).clamp(SHY.0, SHY.1);
            self.until = Some(now + self.shy);
        } else if self.until.take().is_some() {
            self.shy /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SearchYield;
    use std::time::Instant;

    #[test]
    fn a_yield_that_costs_is_avoided_for_a_while() {
        let now = Instant::now();
        let mut search_yield = SearchYield::new();
        let mut without = |costs| {
            search_yield.learn(costs, now);
            search_yield
                .until
                .map_or(0, |until| (until - now).as_millis())
        };
        assert_eq!(without(false), 0);
        assert_eq!(
            [true; 6].map(&mut without),
            [250, 1000, 4000, 16_000, 64_000, 64_000]
        );
        assert_eq!([false, true].map(&mut without), [0, 64_000]);
        // The first yield after a period without yields decides whether another such period
        // follows.
        assert_eq!(
            [false, false, false, true].map(&mut without),
            [0, 0, 0, 64_000]
        );
        assert_eq!(search_yield.shy.as_secs(), 64);
    }
}
