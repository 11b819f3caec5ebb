//! Reports of worklists.

/// The counts of one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of calls of the closure.
    pub processed: u64,
    /// Number of pushed items, including seeds.
    pub pushed: u64,
    /// Number of items in `processed` that were stolen from another member.
    pub stolen: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.processed += other.processed;
        self.pushed += other.pushed;
        self.stolen += other.stolen;
    }
}

/// The counts of a worklist, and whether a member stopped it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of calls of the closure.
    pub processed: u64,
    /// Number of pushed items, including seeds.
    pub pushed: u64,
    /// Number of calls with an item that had been delivered before; 0 under
    /// [`ExactlyOnce`](super::ExactlyOnce).
    pub repeated: u64,
    /// Number of items in `processed` that were stolen.
    pub stolen: u64,
    /// True if [`Context::stop`](super::Context::stop) ended the worklist. If the worklist was stopped, items may be left, and `repeated`
    /// is a lower bound.
    pub stopped: bool,
    /// The counts of each member.
    pub members: Vec<Counts>,
}

impl Report {
    pub(super) fn of(members: Vec<Counts>, stopped: bool) -> Report {
        let mut all = Counts::default();
        for counts in &members {
            all += *counts;
        }
        Report {
            processed: all.processed,
            pushed: all.pushed,
            repeated: all.processed.saturating_sub(all.pushed),
            stolen: all.stolen,
            stopped,
            members,
        }
    }
}

/// Adds the report of another worklist that ran before or after this worklist. Members with the
/// same number count as one member.
impl std::ops::AddAssign for Report {
    fn add_assign(&mut self, other: Report) {
        self.processed += other.processed;
        self.pushed += other.pushed;
        self.repeated += other.repeated;
        self.stolen += other.stolen;
        self.stopped |= other.stopped;
        let members = self.members.len().max(other.members.len());
        self.members.resize_with(members, Counts::default);
        for (sum, counts) in self.members.iter_mut().zip(other.members) {
            *sum += counts;
        }
    }
}
