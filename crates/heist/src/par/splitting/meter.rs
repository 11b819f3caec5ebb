//! Computes the length of the next chunk.

use super::site::Site;
use crate::platform::{Ticks, ticks};

/// The intended duration of a chunk. It is long enough to hide the cost of its end, 20 to 50 ns, and short enough for a thief
/// that must wait for its end. 2 to 3 us where ticks are those of a time-stamp counter.
const CHUNK_TICKS: Ticks = if cfg!(target_arch = "x86_64") {
    6000
} else {
    2000
};

/// Maximum factor by which chunks grow from one to the next, while nothing is known about later items.
const GROWTH: u64 = 8;

/// The first chunk is this part of a loop at most.
const FIRST: usize = 8;

/// Chunks of a long loop with items of equal cost become up to this many times as long, by powers of two: each end costs some
/// 50 ns, mostly because the processor has no work in flight at the next beginning.
const STRIDE: u32 = 3;
/// But they are no longer than this part of the rest, so that a thief that must wait for the end loses no more than it gains.
const SMALL_PART: usize = 16;

/// A chunk that took less than this part of the intended time says little about the right length, because the check takes time,
/// too.
const TELLING: Ticks = CHUNK_TICKS / 8;

/// A loop of at most this number of chunks runs as one chunk, unless a steal request is pending already: leaving a
/// frame for others, and measuring the time, costs a few per cent of it.
pub(super) const SHORT: usize = 4;

/// Measures a loop that runs as one chunk, and tells its site if it was too long for that.
#[derive(Debug)]
pub(crate) struct Sample {
    began: Ticks,
}

impl Sample {
    /// Begins.
    #[inline(never)]
    pub(crate) fn begin() -> Self {
        Sample { began: ticks() }
    }

    /// Notes that the loop has done `count` positions.
    #[inline(never)]
    pub(crate) fn end(self, site: Site, count: usize) {
        let took = ticks().saturating_sub(self.began);
        // Of nothing, what took the time was what stands around the loop.
        if count > 0 && took > 2 * SHORT as Ticks * CHUNK_TICKS {
            site.learn(next(count, count, took));
        }
    }

    /// A composed loop has had `count` positions, measured by a meter for each of its loops: the site learns the total time.
    #[inline(never)]
    pub(crate) fn end_of_all(self, site: Site, count: usize) {
        let took = ticks().saturating_sub(self.began).max(1);
        if count > 0 {
            let ideal = CHUNK_TICKS.saturating_mul(count as u64) / took;
            site.learn(ideal.clamp(1, (count as u64).saturating_mul(GROWTH)) as usize);
        }
    }
}

/// Measures the chunks of a part, and computes the length of the next one.
///
/// The next chunk is as long as would have been right for the last one. The first chunk has the length that was right
/// for the slowest one of the last run: if items become cheaper from the first to the last, the length of the last run's
/// last chunk would put most of the work into one piece.
#[derive(Debug)]
pub(crate) struct Meter {
    site: Site,
    length: usize,
    /// The smallest length that would have been right for a chunk, as far as is known.
    least: usize,
    /// Number of doublings by which chunks are longer than that length.
    stride: u32,
    stamp: Ticks,
}

impl Meter {
    /// Starts with the site's profile, and with a small part of the `len` positions: a thief may be waiting for
    /// some, and the profile may be wrong.
    pub(crate) fn start(site: Site, len: usize) -> Self {
        Meter {
            site,
            length: site.length().min(len / FIRST).max(1),
            least: usize::MAX,
            stride: 0,
            stamp: ticks(),
        }
    }

    /// Length of the next chunk, which begins at `at`, of the `left` positions. A chunk that would cross the end of a grain
    /// ends there.
    #[inline]
    pub(crate) fn length(&mut self, at: usize, grain: usize, left: usize) -> usize {
        // The length itself is not shifted until it is known to stay in its bits.
        while self.stride > 0 && self.length > (left / SMALL_PART) >> self.stride {
            self.stride -= 1;
        }
        let length = self.length << self.stride;
        let over = at.wrapping_add(length) & (grain - 1);
        if over < length { length - over } else { length }
    }

    /// A chunk of `count` positions has ended now. It began when the previous one ended, or was the first.
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

    /// Keeps the findings for the next time.
    pub(crate) fn end(&self) {
        self.site.learn(self.least.min(self.length));
    }
}

/// The length that follows a chunk of `length`, of which `count` positions took `took`.
fn next(length: usize, count: usize, took: Ticks) -> usize {
    // So near that a division would cost more than it gains. A chunk that was cut short says nothing of a longer one.
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

    /// The length at which it settles, given the time of a position in hundredths of a tick.
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
