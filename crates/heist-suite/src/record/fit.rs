//! Finds how much of each strand's time is the cost of recording.

/// The number of different lengths that [`Lengths`] counts.
const SHORT: usize = 1 << 14;
/// After [`Lengths::excess`] has been subtracted, at most one in `USED_UP` strands may have no time left. If more strands had no time left,
/// only the noise of the longest strands would remain.
const USED_UP: u64 = 10;

/// The number of strands of each length.
#[derive(Debug)]
pub(super) struct Lengths {
    /// The difference between two successive lengths.
    step: u64,
    /// Entry `i` is the number of strands with a length of `i` steps. Strands of `SHORT` or more steps are not counted, because `excess` is
    /// at most `SHORT` steps: these strands have enough time for its subtraction.
    counts: Vec<u64>,
    strands: u64,
    total: u64,
}

impl Lengths {
    pub(super) fn new(step: u64) -> Lengths {
        Lengths {
            step,
            counts: vec![0; SHORT],
            strands: 0,
            total: 0,
        }
    }

    pub(super) fn add(&mut self, time: u64) {
        self.strands += 1;
        self.total += time;
        if let Some(count) = self.counts.get_mut((time / self.step) as usize) {
            *count += 1;
        }
    }

    /// Adds the time of strands whose lengths are not known.
    pub(super) fn add_total(&mut self, time: u64) {
        self.total += time;
    }

    /// Returns the time that the caller must subtract from each strand, because recording adds about the same time to each strand.
    /// After the subtraction, all strands together take about `work`, or more. At most one in ten strands has no time left. The caller
    /// then scales all strands to remove the remaining difference.
    pub(super) fn excess(&self, work: u64) -> u64 {
        let mut left = self.total.saturating_sub(work);
        let (mut off, mut longer) = (0, self.strands);
        for &count in &self.counts {
            // If the excess grows by one step, all longer strands become shorter.
            longer -= count;
            let step = longer * self.step;
            if step > left || (self.strands - longer) * USED_UP > self.strands {
                break;
            }
            left -= step;
            off += self.step;
        }
        off
    }
}
