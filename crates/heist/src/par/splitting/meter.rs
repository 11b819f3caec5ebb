//! Computes the length of the next chunk.

use super::site::Site;
use crate::platform::{Ticks, ticks};

/// The intended duration of a chunk. This duration is so long that the cost of the chunk's end, 20 to 50 ns, is negligible. The duration is
/// so short that a thief does not wait long for the end of a chunk. On x86-64, the constant counts ticks of the time-stamp counter, so the
/// duration is 2 to 3 us, depending on the counter's frequency.
const CHUNK_TICKS: Ticks = if cfg!(target_arch = "x86_64") {
    6000
} else {
    2000
};

/// The length of a chunk is at most this factor times the length of the previous chunk, because later items may cost more.
const GROWTH: u64 = 8;

/// The first chunk has at most the `FIRST`th part of a loop's positions.
const FIRST: usize = 8;

/// In a long loop whose items have equal costs, the length of chunks doubles up to this number of times, so chunks become up to 8 times as
/// long. Each end of a chunk costs about 50 ns, mostly because the processor's pipeline is empty when the next chunk begins.
const STRIDE: u32 = 3;
/// A doubled chunk has at most the `SMALL_PART`th part of the remaining positions. So even if a thief must wait for the end of such a
/// chunk, the thief then gets far more work than the chunk had.
const SMALL_PART: usize = 16;

/// The meter does not learn from a chunk that takes less than this time, because the check between chunks is then a large part of the
/// measured time.
const TELLING: Ticks = CHUNK_TICKS / 8;

/// A loop of at most this number of chunks runs as one chunk, unless a steal request is pending already. A frame for thieves and readings
/// of the clock would cost a few per cent of the time of such a loop.
pub(super) const SHORT: usize = 4;

/// Measures a loop that runs as one chunk. If the loop took too long for one chunk, the sample records the right length of the loop's first
/// chunk at the loop's site.
#[derive(Debug)]
pub(crate) struct Sample {
    began: Ticks,
}

impl Sample {
    /// Begins a measurement.
    #[inline(never)]
    pub(crate) fn begin() -> Self {
        Sample { began: ticks() }
    }

    /// Ends the measurement of a loop that has processed `count` positions.
    #[inline(never)]
    pub(crate) fn end(self, site: Site, count: usize) {
        let took = ticks().saturating_sub(self.began);
        // If the loop has processed no positions, the time was spent outside of the loop.
        if count > 0 && took > 2 * SHORT as Ticks * CHUNK_TICKS {
            site.learn(next(count, count, took));
        }
    }

    /// Ends the measurement of a composed loop of `count` positions, whose inner loops have meters of their own. Records the right length
    /// of a chunk of this loop at the site.
    #[inline(never)]
    pub(crate) fn end_of_all(self, site: Site, count: usize) {
        let took = ticks().saturating_sub(self.began).max(1);
        if count > 0 {
            let ideal = CHUNK_TICKS.saturating_mul(count as u64) / took;
            site.learn(ideal.clamp(1, (count as u64).saturating_mul(GROWTH)) as usize);
        }
    }
}

/// Measures the chunks of a part, and computes the length of each next chunk.
///
/// The next chunk gets the length that would have been right for the last chunk. The first chunk gets the length that would have been right
/// for the slowest chunk of the loop's last run. (If items become cheaper from the first to the last, the length of the last run's final
/// chunk would put most of the work into the first chunk.)
#[derive(Debug)]
pub(crate) struct Meter {
    site: Site,
    length: usize,
    /// For each chunk of this run, the meter computes the length that would have been right. This field is the smallest of these lengths.
    least: usize,
    /// Number of times that `length` is doubled for the next chunk.
    stride: u32,
    stamp: Ticks,
}

impl Meter {
    /// Starts with the length in the site's profile, but with at most an eighth of `len`, because a thief may be waiting for some of the
    /// positions, and the profile may be wrong.
    pub(crate) fn start(site: Site, len: usize) -> Self {
        Meter {
            site,
            length: site.length().min(len / FIRST).max(1),
            least: usize::MAX,
            stride: 0,
            stamp: ticks(),
        }
    }

    /// Returns the length of the next chunk, which begins at `at`, if `left` positions are left. If the chunk would cross a multiple of
    /// `grain`, it ends at this multiple instead.
    #[inline]
    pub(crate) fn length(&mut self, at: usize, grain: usize, left: usize) -> usize {
        // The comparison shifts `left` right, because the shifted length could overflow.
        while self.stride > 0 && self.length > (left / SMALL_PART) >> self.stride {
            self.stride -= 1;
        }
        let length = self.length << self.stride;
        let over = at.wrapping_add(length) & (grain - 1);
        if over < length { length - over } else { length }
    }

    /// Records that a chunk of `count` positions has just ended. The chunk began when the previous chunk ended, or at the start of
    /// the loop.
    pub(crate) fn note(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let now = ticks();
        let took = (now.saturating_sub(self.stamp) >> self.stride).max(1);
        self.stamp = now;
        let length = next(self.length, count >> self.stride, took);
        if length != self.length || took > 2 * CHUNK_TICKS {
            self.stride = 0;
        } else if self.stride < STRIDE {
            self.stride += 1;
        }
        self.length = length;
        if took >= TELLING {
            self.least = self.least.min(self.length);
        }
    }

    /// Stores the length that was right for the slowest chunk in the site's profile, for the loop's next run.
    pub(crate) fn end(&self) {
        self.site.learn(self.least.min(self.length));
    }
}

/// Returns the length of the next chunk. The last chunk was planned with `length` positions. Its actual `count` positions took `took`
/// ticks.
fn next(length: usize, count: usize, took: Ticks) -> usize {
    // If the length is nearly right, a division would cost more than it gains. If the chunk was cut short, its time says nothing
    // about a longer chunk.
    if took <= 2 * CHUNK_TICKS && (count < length / 2 || took >= CHUNK_TICKS / 2) {
        return length;
    }
    let ideal = CHUNK_TICKS.saturating_mul(count as u64) / took;
    ideal.clamp(1, (length as u64).saturating_mul(GROWTH)) as usize
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_TICKS, Meter, STRIDE, next};
    use crate::par::splitting::Site;

    /// Returns the length at which chunks settle if a position takes the given time, in hundredths of a tick.
    fn settle(from: usize, hundredths: u64) -> (usize, usize) {
        let mut length = from;
        for steps in 0..100 {
            let to = next(length, length, (length as u64 * hundredths / 100).max(1));
            if to == length {
                return (length, steps);
            }
            length = to;
        }
        panic!("does not settle, at {length}")
    }

    #[test]
    fn chunks_come_to_take_as_long_as_they_should() {
        for hundredths in [1, 30, 100, 1000, 100_000, 100_000_000] {
            for from in [1, 100, 1_000_000] {
                let (length, steps) = settle(from, hundredths);
                let took = length as u64 * hundredths / 100;
                assert!(
                    (CHUNK_TICKS / 2..=2 * CHUNK_TICKS).contains(&took)
                        || length == 1 && took > CHUNK_TICKS,
                    "{length} positions of {hundredths} take {took}"
                );
                assert!(steps <= 9, "{steps} steps from {from} to {length}");
            }
        }
    }

    #[test]
    fn the_longest_chunks_have_a_length() {
        let mut meter = Meter {
            length: 1 << (usize::BITS - 2),
            ..Meter::start(Site::of(std::ptr::null()), 1)
        };
        meter.stride = STRIDE;
        assert_eq!(meter.length(0, 1, usize::MAX), meter.length);
    }

    #[test]
    fn a_chunk_that_was_cut_short_teaches_only_that_it_was_slow() {
        assert_eq!(next(1000, 10, 10), 1000);
        assert_eq!(next(1000, 1, 100 * CHUNK_TICKS), 1);
    }
}
