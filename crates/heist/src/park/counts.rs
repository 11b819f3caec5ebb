//! The packed word with the number of searching workers and of slots that can be woken.

use crate::platform::shim::{AtomicU64, Ordering};

/// Number of workers that search, and of slots that could be woken: sleepers and vacant slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counts {
    pub(crate) searching: u32,
    pub(crate) idle: u32,
}

const SEARCHER: u64 = 1 << 32;
const IDLER: u64 = 1;

impl Counts {
    fn unpack(word: u64) -> Self {
        Counts {
            searching: (word >> 32) as u32,
            idle: word as u32,
        }
    }
}

/// The event count of a pool.
///
/// SeqCst throughout: it is one side of "publish work, read the counts" against "count myself
/// asleep, look for work".
#[derive(Debug)]
pub(super) struct IdleCounts(AtomicU64);

impl IdleCounts {
    /// A state with this number of searchers and no idlers.
    pub(super) fn of_searchers(count: usize) -> Self {
        IdleCounts(AtomicU64::new(SEARCHER * count as u64))
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::unpack(self.0.load(Ordering::SeqCst))
    }

    pub(super) fn add_searcher(&self) {
        self.0.fetch_add(SEARCHER, Ordering::SeqCst);
    }

    /// Returns the counts before.
    pub(super) fn remove_searcher(&self) -> Counts {
        Counts::unpack(self.0.fetch_sub(SEARCHER, Ordering::SeqCst))
    }

    /// Returns the counts before. These are called under the lists' lock: the lists name the idlers
    /// that are counted here.
    pub(super) fn searcher_to_idler(&self) -> Counts {
        Counts::unpack(self.0.fetch_sub(SEARCHER - IDLER, Ordering::SeqCst))
    }

    pub(super) fn idler_to_searcher(&self) {
        self.0.fetch_add(SEARCHER - IDLER, Ordering::SeqCst);
    }

    pub(super) fn add_idler(&self) {
        self.0.fetch_add(IDLER, Ordering::SeqCst);
    }

    pub(super) fn remove_idler(&self) {
        self.0.fetch_sub(IDLER, Ordering::SeqCst);
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Counts, IdleCounts};

    #[test]
    fn counts_both() {
        let idle_counts = IdleCounts::of_searchers(3);
        let counts = |searching, idle| Counts { searching, idle };
        assert_eq!(idle_counts.counts(), counts(3, 0));
        assert_eq!(idle_counts.searcher_to_idler(), counts(3, 0));
        assert_eq!(idle_counts.counts(), counts(2, 1));
        idle_counts.idler_to_searcher();
        assert_eq!(idle_counts.remove_searcher(), counts(3, 0));
        idle_counts.add_searcher();
        idle_counts.add_idler();
        assert_eq!(idle_counts.counts(), counts(3, 1));
        idle_counts.remove_idler();
        assert_eq!(idle_counts.counts(), counts(3, 0));
    }
}
