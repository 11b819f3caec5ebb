//! Histograms of times.

use crate::Time;

/// The number of steps in each range between two powers of two.
const PARTS: u32 = 8;

/// A histogram of times, with eight steps in each range between two powers of two. The error of a quantile is at
/// most 7 %.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
}

impl Histogram {
    pub(crate) fn add(&mut self, time: Time) {
        let at = Self::step(time);
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.count += 1;
    }

    /// Returns the number of times in the histogram.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the quantile for `share`, from 0 to 1: at least this share of all times is not longer than the
    /// quantile. Returns `None` if the histogram is empty.
    pub fn quantile(&self, share: f64) -> Option<Time> {
        let rank = ((share.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (step, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(Self::middle(step));
            }
        }
        None
    }

    fn step(time: Time) -> usize {
        if time < u64::from(PARTS) {
            return time as usize;
        }
        let power = time.ilog2();
        let part = (time >> (power - PARTS.ilog2())) as usize - PARTS as usize;
        (power - PARTS.ilog2() + 1) as usize * PARTS as usize + part
    }

    fn middle(step: usize) -> Time {
        let parts = PARTS as usize;
        if step < parts {
            return step as Time;
        }
        let shift = step / parts - 1;
        let least = (parts + step % parts) << shift;
        (least + (1 << shift) / 2) as Time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_near() {
        assert_eq!(Histogram::default().quantile(0.5), None);
        let mut histogram = Histogram::default();
        for time in 1..=100_000 {
            histogram.add(time);
        }
        assert_eq!(histogram.count(), 100_000);
        for share in [0.0001, 0.01, 0.5, 0.9, 0.99, 1.0] {
            let is = histogram.quantile(share).unwrap() as f64;
            let must = share * 100_000.0;
            assert!((is / must - 1.0).abs() < 0.07, "{share}: {is}");
        }
    }
}
