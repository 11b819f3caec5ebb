//! Finds the recorder's share of the times of strands.

/// The number of steps up to which lengths are distinguished.
const SHORT: usize = 1 << 14;
/// At most one strand in this number may have no time left. With more, only the noise of the longest strands would be left.
const USED_UP: u64 = 10;

/// The number of strands of each length.
#[derive(Debug)]
pub(super) struct Lengths {
    /// The difference between two lengths that are distinguished.
    step: u64,
    /// Indexed by the length in steps. Longer strands are never used up.
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

    /// Returns the time that the caller must take off each strand, so that all strands take about `work`, or more: recording adds about
    /// the same time to each strand. At most one in ten strands has no time left then. The caller changes all strands in proportion
    /// to remove the remaining difference.
    pub(super) fn excess(&self, work: u64) -> u64 {
        let mut left = self.total.saturating_sub(work);
        let (mut off, mut longer) = (0, self.strands);
        for &count in &self.counts {
            // One step more shortens all strands that are longer.
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
