//! A packed word with two numbers: the searching workers, and the idle slots.

use crate::platform::shim::{AtomicU64, Ordering};

/// Two numbers: the workers that search, and the idle slots. A slot is idle if a thread can wake a sleeper or a spare for it.
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

/// The word with the counts of a pool.
///
/// All accesses are SeqCst, because a notifier publishes work and then reads the counts, whereas a sleeper changes the counts and
/// then looks for work.
#[derive(Debug)]
pub(super) struct IdleCounts(AtomicU64);

impl IdleCounts {
    /// Returns counts of `count` searchers and no idlers.
    pub(super) fn of_searchers(count: usize) -> Self {
        IdleCounts(AtomicU64::new(SEARCHER * count as u64))
    }

    pub(super) fn counts(&self) -> Counts {
        Counts::unpack(self.0.load(Ordering::SeqCst))
    }

    pub(super) fn add_searcher(&self) {
        self.0.fetch_add(SEARCHER, Ordering::SeqCst);
    }

    /// Removes a searcher. Returns the previous counts.
    pub(super) fn remove_searcher(&self) -> Counts {
        Counts::unpack(self.0.fetch_sub(SEARCHER, Ordering::SeqCst))
    }

    /// Turns a searcher into an idler, and returns the previous counts. The callers of this function and of the functions below
    /// must hold the lists' lock, because the lists name the idlers that these counts include.
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
