//! The snapshots of a profile. The number of snapshots is at most [`MOST`], however long the program runs.

/// Maximum number of snapshots that are kept.
const MOST: usize = 400;
/// The length of a slot of the [`Timeline`] at the beginning of a profile, in microseconds.
const SHORTEST: u64 = 500;

/// The live bytes at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The time since the beginning, in microseconds.
    pub(super) at: u64,
    /// The exact number of bytes that the old generation and large objects took at this time.
    pub(super) heap: u64,
    /// Whether the snapshot follows a major collection. In any other snapshot, garbage among the old objects counts as live.
    pub(super) full: bool,
    /// The sites that have live objects, each with the number of its live bytes.
    pub(super) live: Vec<(u32, u64)>,
}

impl Snapshot {
    /// Returns the key of a snapshot. The timeline keeps the snapshot with the greatest key in each slot. A snapshot that follows a major
    /// collection has a greater key than a snapshot that does not. Otherwise, the snapshot with more bytes has the greater key, so that the
    /// timeline keeps peaks.
    fn rank(&self) -> (bool, u64) {
        (self.full, self.live.iter().map(|(_, bytes)| bytes).sum())
    }
}

/// Snapshots in the order of time. Time is divided into slots of equal length, and each slot keeps one snapshot. When there are more than
/// [`MOST`] snapshots, slots become twice as long.
#[derive(Debug)]
pub(super) struct Timeline {
    slot: u64,
    snapshots: Vec<Snapshot>,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            slot: SHORTEST,
            snapshots: Vec::new(),
        }
    }
}

impl Timeline {
    /// Returns true if a snapshot at this time may be kept.
    pub(super) fn wants(&self, at: u64, full: bool) -> bool {
        let last = self.snapshots.last();
        last.is_none_or(|last| last.at / self.slot != at / self.slot || full >= last.full)
    }

    /// Adds a snapshot, which must be later than all others. Of two snapshots in the same slot, keeps the snapshot with the greater key.
    pub(super) fn add(&mut self, snapshot: Snapshot) {
        self.put(snapshot);
        if self.snapshots.len() > MOST {
            self.slot *= 2;
            for snapshot in std::mem::take(&mut self.snapshots) {
                self.put(snapshot);
            }
        }
    }

    fn put(&mut self, snapshot: Snapshot) {
        match self.snapshots.last_mut() {
            Some(last) if last.at / self.slot == snapshot.at / self.slot => {
                if snapshot.rank() >= last.rank() {
                    *last = snapshot;
                }
            }
            _ => self.snapshots.push(snapshot),
        }
    }

    /// Returns the newest snapshot.
    pub(super) fn last(&self) -> Option<&Snapshot> {
        self.snapshots.last()
    }

    /// Returns all snapshots, the oldest first.
    pub(super) fn all(&self) -> &[Snapshot] {
        &self.snapshots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(at: u64, full: bool, bytes: u64) -> Snapshot {
        Snapshot {
            at,
            heap: bytes,
            full,
            live: vec![(0, bytes)],
        }
    }

    #[test]
    fn snapshots_are_bounded_and_spread_over_time() {
        let mut timeline = Timeline::default();
        for at in 0..100_000 {
            timeline.add(snapshot(1000 * at, true, at));
        }
        let all = timeline.all();
        assert!((MOST / 2..=MOST).contains(&all.len()), "{}", all.len());
        let gaps = all.windows(2).map(|pair| pair[1].at - pair[0].at);
        let (least, most) = gaps.fold((u64::MAX, 0), |(least, most), gap| {
            (least.min(gap), most.max(gap))
        });
        assert!(least > 0 && most < 1000 * 100_000 / 100, "{least} {most}");
        assert!(all[0].at < 1_000_000 && all[all.len() - 1].at > 99_000_000);
    }

    #[test]
    fn a_slot_keeps_full_collections_and_peaks() {
        let mut timeline = Timeline::default();
        timeline.add(snapshot(10, false, 900));
        timeline.add(snapshot(20, true, 5));
        assert!(!timeline.wants(30, false) && timeline.wants(30, true));
        timeline.add(snapshot(30, false, 1000));
        timeline.add(snapshot(40, true, 4));
        assert_eq!(timeline.all(), [snapshot(20, true, 5)]);
        timeline.add(snapshot(50, true, 5));
        assert_eq!(timeline.all(), [snapshot(50, true, 5)]);
    }

    #[test]
    fn the_greatest_snapshot_survives_thinning() {
        let mut timeline = Timeline::default();
        for at in 0..50_000 {
            let bytes = if at == 31_234 { 1 << 40 } else { at % 97 };
            timeline.add(snapshot(700 * at, true, bytes));
        }
        assert!(
            timeline
                .all()
                .contains(&snapshot(700 * 31_234, true, 1 << 40))
        );
    }
}
