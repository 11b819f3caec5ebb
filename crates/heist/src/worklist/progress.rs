//! The progress of worklists.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::report::Counts;

/// The progress of a worklist, as its members last reported it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of calls of the closure that have returned.
    pub processed: u64,
    /// Number of pushed items, including the seeds drawn so far.
    pub pushed: u64,
    /// Time since the start of the worklist.
    pub elapsed: Duration,
}

impl Progress {
    /// Returns the number of items that wait or are being processed. If some items were delivered more than once, the number is a lower
    /// bound.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.pushed.saturating_sub(self.processed)
    }
}

/// The receiver of the progress, and the interval of its calls.
#[derive(Clone, Copy)]
pub(super) struct Hook<'p> {
    pub(super) every: Duration,
    pub(super) tell: &'p (dyn Fn(Progress) + Send + Sync),
}

/// The counts of the members, for the hook.
pub(super) struct Gauge<'p> {
    hook: Hook<'p>,
    began: Instant,
    /// The time at which the hook is due, in nanoseconds after the start of the worklist.
    due: AtomicU64,
    /// True while the hook runs, and after it has panicked. The flag is not a lock, because the hook may wait, and continue on another
    /// thread.
    telling: AtomicBool,
    members: Vec<Said>,
}

/// The counts of one member, on separate cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Said {
    processed: AtomicU64,
    pushed: AtomicU64,
}

impl<'p> Gauge<'p> {
    pub(super) fn new(hook: Hook<'p>, members: usize) -> Self {
        let mut said = Vec::new();
        said.resize_with(members, Said::default);
        Gauge {
            hook,
            began: Instant::now(),
            due: AtomicU64::new(nanos(hook.every)),
            telling: AtomicBool::new(false),
            members: said,
        }
    }

    /// Stores the counts of a member, and calls the hook if it is due. All accesses to counts are relaxed, because the counts are
    /// statistics.
    #[cold]
    pub(super) fn say(&self, place: usize, before: Counts, counts: Counts) {
        let said = &self.members[place];
        let processed = before.processed + counts.processed;
        said.processed.store(processed, Ordering::Relaxed);
        said.pushed
            .store(before.pushed + counts.pushed, Ordering::Relaxed);
        if nanos(self.began.elapsed()) < self.due.load(Ordering::Relaxed) {
            return;
        }
        // Acquire pairs with the Release below: a thread that calls the hook has seen the due time
        // that the previous caller set.
        if self.telling.swap(true, Ordering::Acquire) {
            return;
        }
        let elapsed = self.began.elapsed();
        if nanos(elapsed) < self.due.load(Ordering::Relaxed) {
            self.telling.store(false, Ordering::Release);
            return;
        }
        let next = elapsed.saturating_add(self.hook.every);
        self.due.store(nanos(next), Ordering::Relaxed);
        let sum = |of: fn(&Said) -> &AtomicU64| {
            self.members
                .iter()
                .map(|said| of(said).load(Ordering::Relaxed))
                .sum()
        };
        (self.hook.tell)(Progress {
            processed: sum(|said| &said.processed),
            pushed: sum(|said| &said.pushed),
            elapsed,
        });
        self.telling.store(false, Ordering::Release);
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
