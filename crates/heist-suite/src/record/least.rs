//! Keeps the shortest time of each strand over several runs of a program.

use super::fit::Lengths;

/// The maximum number of strands whose times are kept, in 4 bytes for each strand. All further strands count with their times in the
/// current run.
const MOST: usize = 1 << 26;
/// A time that is too long to be kept: more than two seconds.
const LONG: u32 = u32::MAX;
/// The number of fine ticks in a tick. The fit uses fine ticks, because many strands take only a few ticks.
pub(super) const FINE: u64 = 256;

/// The shortest time of each strand in the runs so far, in ticks. The strands are in the order in which they end.
///
/// The shortest time excludes interruptions: an interruption makes a strand longer in one run, but rarely affects the same strand in the
/// next run. The CPU time of the thread would show neither short interruptions nor interruptions by a hypervisor.
#[derive(Debug, Default)]
pub(crate) struct Least {
    ticks: Vec<u32>,
    /// The index of the next strand to end.
    next: usize,
    /// The total ticks, in the current run, of the strands whose times are not kept.
    rest: u64,
    fit: Option<Fit>,
}

/// The adjustment after which all strands add up to the time of the serial program. Times are in fine ticks.
#[derive(Debug)]
struct Fit {
    /// The time to subtract from each strand: the cost of recording.
    excess: u64,
    /// The factor by which to multiply the remaining time.
    factor: f64,
}

impl Least {
    /// Prepares for the next run, which begins with its first strand.
    pub(super) fn begin(self) -> Least {
        Least {
            next: 0,
            rest: 0,
            ..self
        }
    }

    /// Makes the strands of later runs add up to `work` ticks.
    pub(crate) fn fit(&mut self, work: u64) {
        let work = work * FINE;
        let mut lengths = Lengths::new(FINE / 8);
        for &ticks in &self.ticks {
            lengths.add(u64::from(ticks) * FINE);
        }
        let rest = self.rest * FINE;
        lengths.add_total(rest);
        let excess = lengths.excess(work);
        let kept = self.ticks.iter();
        let left: u64 = kept
            .map(|&ticks| (u64::from(ticks) * FINE).saturating_sub(excess))
            .sum();
        self.fit = Some(Fit {
            excess,
            factor: work as f64 / (left + rest).max(1) as f64,
        });
    }

    /// Records the time of the strand that ends, and returns the shortest time of the strand in all runs so far.
    #[inline]
    pub(super) fn note(&mut self, ticks: u64) -> u64 {
        let short = u32::try_from(ticks).unwrap_or(LONG);
        let at = self.next;
        self.next += 1;
        match self.ticks.get_mut(at) {
            Some(least) => {
                *least = short.min(*least);
                if *least == LONG {
                    ticks
                } else {
                    u64::from(*least)
                }
            }
            None => {
                if at < MOST {
                    self.ticks.push(short);
                } else {
                    self.rest += ticks;
                }
                ticks
            }
        }
    }

    /// Returns the adjusted time of a strand, in fine ticks. The adjusted times of all strands add up to the `work` that [`fit`](Self::fit)
    /// got. Returns `None` if `fit` has not been called.
    #[inline]
    pub(super) fn fitted(&self, ticks: u64) -> Option<u64> {
        let Fit { excess, factor } = self.fit.as_ref()?;
        Some(((ticks * FINE).saturating_sub(*excess) as f64 * factor).round() as u64)
    }
}
