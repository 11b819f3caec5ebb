//! The least time of each strand in several runs of a program.

use super::fit::Lengths;

/// The maximum number of strands whose times are kept, 4 bytes each. Later strands count as measured.
const MOST: usize = 1 << 26;
/// A time that is too long to be kept: more than two seconds.
const LONG: u32 = u32::MAX;
/// Ticks are multiplied by this before they are fitted, because many strands take only a few ticks.
pub(super) const FINE: u64 = 256;

/// The least ticks of each strand in the runs so far, in the order in which the strands end.
///
/// An interruption makes a strand longer in one run, and rarely the same strand in the next run. The CPU time of the thread does not show
/// interruptions that are short, or in which a hypervisor took the CPU.
#[derive(Debug, Default)]
pub(crate) struct Least {
    ticks: Vec<u32>,
    /// The index of the strand that ends next.
    next: usize,
    /// The ticks of the strands after the last one that is kept, in the present run.
    rest: u64,
    fit: Option<Fit>,
}

/// The change of each strand that makes all strands add up to the time of the serial program, in fine ticks.
#[derive(Debug)]
struct Fit {
    /// The recorder's share of each strand.
    excess: u64,
    /// The factor of the rest.
    factor: f64,
}

impl Least {
    /// Begins with the first strand of the next run.
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

    /// Notes the time of the strand that ends, and returns the least time of this strand.
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

    /// Returns the time of a strand in fine ticks, changed so that all strands add up to the work of [`fit`](Self::fit). Returns `None`
    /// if that was not called.
    #[inline]
    pub(super) fn fitted(&self, ticks: u64) -> Option<u64> {
        let Fit { excess, factor } = self.fit.as_ref()?;
        Some(((ticks * FINE).saturating_sub(*excess) as f64 * factor).round() as u64)
    }
}
