//! The report that no strand can continue.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::state::strand::Strand;

/// The report that no strand can continue, and the strand that receives this report.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    /// The address of the strand that receives the report; 0 if there is no report.
    told: AtomicUsize,
    report: Mutex<String>,
}

impl Stuck {
    /// Stores a report for a strand.
    pub(crate) fn tell(&self, strand: *mut Strand, text: String) {
        *self.report() = text;
        // Release: pairs with the acquire in `is_told`.
        self.told.store(strand as usize, Ordering::Release);
    }

    /// Returns true if there is a report for this strand. The Basis calls this function for each message.
    pub(crate) fn is_told(&self, strand: *mut Strand) -> bool {
        // Acquire: pairs with the release in `tell`.
        self.told.load(Ordering::Acquire) == strand as usize
    }

    /// Takes the report, if there is one.
    pub(crate) fn take(&self) -> Option<String> {
        let mut report = self.report();
        // Relaxed: the report is behind its lock.
        let was_told = self.told.swap(0, Ordering::Relaxed) != 0;
        was_told.then(|| std::mem::take(&mut *report))
    }

    fn report(&self) -> MutexGuard<'_, String> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
