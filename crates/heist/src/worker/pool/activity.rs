//! Records whether a worker is active. A worker is active while it has work on its stack or looks for
//! work.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of times that a worker has become active or inactive. The number is odd while the worker is active. A thread that reads the
/// same even number twice knows that the worker was not active in between.
///
/// All accesses by other threads are SeqCst, and so are the accesses to the queues, because a thread that looks for work left in the pool
/// reads queues and activities together. Only the worker's own thread writes the word.
#[derive(Debug)]
pub(in crate::worker) struct Activity(AtomicU64);

impl Activity {
    /// Creates the activity of a worker that has just begun. The new worker is active.
    pub(in crate::worker) fn started() -> Self {
        Activity(AtomicU64::new(1))
    }

    /// Marks the worker as active, even if it is active already.
    pub(in crate::worker) fn begin(&self) {
        self.set(1);
    }

    /// Marks the worker as inactive, even if it is inactive already.
    pub(in crate::worker) fn end(&self) {
        self.set(0);
    }

    fn set(&self, active: u64) {
        let now = self.0.load(Ordering::Relaxed);
        if now % 2 != active {
            self.0.store(now + 1, Ordering::SeqCst);
        }
    }

    /// Returns the number of the worker's active periods so far, or `None` if the worker is active now.
    pub(in crate::worker) fn periods(&self) -> Option<u64> {
        let now = self.0.load(Ordering::SeqCst);
        (now % 2 == 0).then_some(now / 2)
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Activity;

    #[test]
    fn counts_ended_periods() {
        let activity = Activity::started();
        activity.begin();
        assert_eq!(activity.periods(), None);
        activity.end();
        activity.end();
        assert_eq!(activity.periods(), Some(1));
        activity.begin();
        assert_eq!(activity.periods(), None);
        activity.end();
        assert_eq!(activity.periods(), Some(2));
    }
}
