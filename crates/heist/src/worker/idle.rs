//! Who is searching, who sleeps, which slots are vacant: the event count of the crew.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why somebody should be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A job that nobody else will run.
    Injected,
    /// Frames became public. They may well be gone before anybody is awake, so these wake-ups
    /// stop while they have proven useless (see the README, "The sentinel").
    Exposed,
}

/// How many carriers search, and how many could be woken: sleepers and vacant slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Census {
    pub(super) searching: u32,
    pub(super) idle: u32,
}

impl Census {
    const SEARCHER: u64 = 1 << 32;
    const IDLER: u64 = 1;

    fn unpack(word: u64) -> Self {
        Census {
            searching: (word >> 32) as u32,
            idle: word as u32,
        }
    }
}

/// What the lock protects.
#[derive(Debug, Default)]
pub(super) struct Roster {
    /// Carriers that hold a slot and sleep for want of work; the last is woken first.
    pub(super) sleepers: Vec<u16>,
    /// How many slots have been given up by waiting carriers and not been taken over.
    pub(super) vacant: u32,
    /// Vacant slots that no carrier could be had for; they no longer count as idle.
    pub(super) stranded: u32,
    /// Carriers without a slot that wait for one.
    pub(super) spares: Vec<u16>,
    /// Places of carriers whose threads could not be started, to be tried again.
    pub(super) unborn: Vec<u16>,
    /// How many carriers hold each slot.
    pub(super) holders: Vec<u16>,
}

impl Roster {
    /// Leaves a slot, for which no carrier is to be had, to a holder who waits: it does not count
    /// as idle until that one comes back.
    pub(super) fn strand(&mut self, slot: u32) {
        self.holders[slot as usize] -= 1;
        self.stranded += 1;
    }

    /// A slot that nobody holds.
    pub(super) fn free_slot(&self) -> Option<u32> {
        self.holders
            .iter()
            .position(|&count| count == 0)
            .map(|slot| slot as u32)
    }
}

/// The state of idleness. The protocol is in the worker's README.
#[derive(Debug)]
pub(crate) struct Idle {
    census: AtomicU64,
    roster: Mutex<Roster>,
    /// Carriers that resumed when their slot had been taken: that many must leave at their next
    /// task boundary.
    surplus: AtomicU32,
    /// Whether a sleeper looks after the pool by a timer, so that exposures wake nobody.
    sentinel: AtomicBool,
    /// Wake-ups in a row after which nothing was found.
    useless: AtomicU32,
}

impl Idle {
    /// `slots` workers, all of them about to start searching.
    pub(super) fn new(slots: usize) -> Self {
        Idle {
            census: AtomicU64::new(Census::SEARCHER * slots as u64),
            roster: Mutex::new(Roster {
                holders: vec![1; slots],
                ..Roster::default()
            }),
            surplus: AtomicU32::new(0),
            sentinel: AtomicBool::new(false),
            useless: AtomicU32::new(0),
        }
    }

    pub(super) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts now. SeqCst: one side of "publish work, read the census" against "count myself
    /// asleep, look for work".
    pub(super) fn census(&self) -> Census {
        Census::unpack(self.census.load(Ordering::SeqCst))
    }

    pub(super) fn start_searching(&self) {
        self.census.fetch_add(Census::SEARCHER, Ordering::SeqCst);
    }

    /// Returns the counts before.
    pub(super) fn stop_searching(&self) -> Census {
        Census::unpack(self.census.fetch_sub(Census::SEARCHER, Ordering::SeqCst))
    }

    /// A searcher becomes an idler. Under the roster's lock. Returns the counts before.
    pub(super) fn searcher_to_idler(&self) -> Census {
        Census::unpack(
            self.census
                .fetch_sub(Census::SEARCHER - Census::IDLER, Ordering::SeqCst),
        )
    }

    /// An idler becomes a searcher. Under the roster's lock.
    pub(super) fn idler_to_searcher(&self) {
        self.census
            .fetch_add(Census::SEARCHER - Census::IDLER, Ordering::SeqCst);
    }

    /// Under the roster's lock.
    pub(super) fn add_idler(&self) {
        self.census.fetch_add(Census::IDLER, Ordering::SeqCst);
    }

    /// Under the roster's lock.
    pub(super) fn remove_idler(&self) {
        self.census.fetch_sub(Census::IDLER, Ordering::SeqCst);
    }

    pub(super) fn surplus(&self) -> &AtomicU32 {
        &self.surplus
    }

    pub(super) fn has_sentinel(&self) -> bool {
        self.sentinel.load(Ordering::SeqCst)
    }

    /// Tries to become the sentinel.
    pub(super) fn claim_sentinel(&self) -> bool {
        !self.sentinel.swap(true, Ordering::SeqCst)
    }

    pub(super) fn drop_sentinel(&self) {
        self.useless.store(0, Ordering::Relaxed);
        self.sentinel.store(false, Ordering::SeqCst);
    }

    /// Counts a wake-up that found nothing; returns how many there were in a row.
    pub(super) fn count_useless(&self) -> u32 {
        self.useless.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn forget_useless(&self) {
        // A load first: the common case must not dirty the line.
        if self.useless.load(Ordering::Relaxed) != 0 {
            self.useless.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Census, Idle};

    #[test]
    fn census_counts_both() {
        let idle = Idle::new(3);
        let counts = |searching, idle| Census { searching, idle };
        assert_eq!(idle.census(), counts(3, 0));
        assert_eq!(idle.searcher_to_idler(), counts(3, 0));
        assert_eq!(idle.census(), counts(2, 1));
        idle.idler_to_searcher();
        assert_eq!(idle.stop_searching(), counts(3, 0));
        idle.add_idler();
        assert_eq!(idle.census(), counts(2, 1));
        idle.remove_idler();
        assert_eq!(idle.census(), counts(2, 0));
    }
}
