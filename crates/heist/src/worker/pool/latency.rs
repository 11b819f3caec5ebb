//! A histogram of the durations of thieves' requests.

use crate::platform::{ticks, ticks_per_second};
use crate::worker::pool::counters::Counter;
use std::time::Duration;

/// The binary logarithm of the number of buckets in each doubling of the duration.
const PARTS_LOG: u32 = 3;
/// Each duration of fewer ticks than this number has its own bucket.
const FINE: u64 = 1 << PARTS_LOG;
/// Number of buckets. The buckets suffice for 2^40 ticks, which are several minutes.
const BUCKETS: usize = ((40 - PARTS_LOG as usize) + 1) << PARTS_LOG;

/// Returns the bucket of a duration in ticks.
fn bucket(ticks: u64) -> usize {
    if ticks < FINE {
        return ticks as usize;
    }
    let doublings = ticks.ilog2() - PARTS_LOG;
    let part = (ticks >> doublings) as usize - FINE as usize;
    (((doublings as usize + 1) << PARTS_LOG) + part).min(BUCKETS - 1)
}

/// Returns the least number of ticks in a bucket.
fn least(bucket: usize) -> u64 {
    let (bucket, fine) = (bucket as u64, FINE);
    if bucket < fine {
        return bucket;
    }
    (bucket % fine + fine) << (bucket / fine - 1)
}

/// The latencies of one worker's requests. The list is empty if the pool measures no times. Only the worker writes the latencies, and any
/// thread may read them.
#[derive(Debug)]
pub(in crate::worker) struct OwnLatencies(Box<[Counter]>);

impl OwnLatencies {
    pub(in crate::worker) fn new(timed: bool) -> Self {
        let buckets = if timed { BUCKETS } else { 0 };
        OwnLatencies((0..buckets).map(|_| Counter::default()).collect())
    }

    /// Counts a request that has brought work. The argument `began` is the time of the request, or `None` if the pool measures no times.
    pub(in crate::worker) fn add_since(&self, began: Option<u64>) {
        let took = began.map(|began| ticks().wrapping_sub(began));
        if let Some(here) = took.and_then(|took| self.0.get(bucket(took))) {
            here.add(1);
        }
    }
}

/// A histogram of durations: see [`Pool::steal_latency`](crate::Pool::steal_latency). The values are
/// accurate to one eighth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latencies(Box<[u64]>);

impl Default for Latencies {
    fn default() -> Self {
        Latencies(vec![0; BUCKETS].into())
    }
}

impl Latencies {
    pub(in crate::worker) fn add(&mut self, own: &OwnLatencies) {
        for (sum, own) in self.0.iter_mut().zip(own.0.iter()) {
            *sum += own.get();
        }
    }

    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the quantile for `share`, a number between 0 and 1: a duration that this share of all durations does not exceed. For
    /// example, 0.5 gives the median. Returns `None` if there are no durations.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let count = self.count();
        let rank = ((count as f64 * share).ceil() as u64).clamp(1, count.max(1));
        let mut below = 0;
        let found = self.0.iter().position(|&here| {
            below += here;
            below >= rank
        })?;
        // The result is the middle of the bucket.
        let ticks = (least(found) + least(found + 1)) as f64 / 2.0;
        Some(Duration::from_secs_f64(ticks / ticks_per_second()))
    }

    /// Returns a histogram of the durations that were added after an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Latencies) -> Latencies {
        let pairs = self.0.iter().zip(&earlier.0);
        Latencies(pairs.map(|(now, then)| now.wrapping_sub(*then)).collect())
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{BUCKETS, Latencies, bucket, least};
    use crate::platform::ticks_per_second;

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        for index in 0..BUCKETS - 1 {
            let (from, to) = (least(index), least(index + 1));
            assert!(from < to);
            assert_eq!((bucket(from), bucket(to - 1)), (index, index));
            assert!(to - from <= from.max(8) / 8);
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_right_to_an_eighth() {
        let mut all = Latencies::default();
        assert_eq!(all.quantile(0.5), None);
        for value in 1..=1000 {
            all.0[bucket(value * 100)] += 1;
        }
        assert_eq!(all.count(), 1000);
        for share in [0.001, 0.5, 0.99, 1.0] {
            let ticks = all.quantile(share).unwrap().as_secs_f64() * ticks_per_second();
            let exact = share * 100_000.0;
            assert!(
                (ticks / exact - 1.0).abs() < 0.125,
                "{share}: {ticks} for {exact}"
            );
        }
        assert_eq!(all.since(&all).count(), 0);
    }
}
