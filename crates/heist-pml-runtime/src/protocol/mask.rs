//! Masks, and the count of cancellations.

use super::shim::{AtomicBool, AtomicUsize, Ordering};
use super::steps;

/// The sum of three counts over all worlds: of jobs that were cancelled while a thief computed them, of races that a right side has won,
/// and of masks that were lifted. When this sum changes, strands must call [`Job::is_cancelled`](super::job::Job::is_cancelled) again.
#[cfg(not(heist_model))]
pub(super) static CANCELLED: AtomicUsize = AtomicUsize::new(0);
#[cfg(heist_model)]
loom::lazy_static! {
    pub(super) static ref CANCELLED: AtomicUsize = AtomicUsize::new(0);
}

/// Returns the number of cancelled jobs, won races and lifted masks until now.
#[must_use]
pub fn cancellations() -> usize {
    // Acquire: pairs with the release in `cancel`, so the caller sees the state of each job that was counted.
    CANCELLED.load(steps::COUNTED)
}

/// The mask of code that has published forks. The mask protects the code and its forks from cancellations of enclosing jobs.
#[derive(Debug, Default)]
pub struct Mask {
    lifted: AtomicBool,
}

impl Mask {
    /// Lifts the mask, because the masked code has ended. After this call, cancellations of enclosing jobs reach the forks that the code
    /// has published. The same holds for cancellations that came while the mask existed. The caller must ring the doorbells of all workers.
    pub fn lift(&self) {
        // Relaxed: the release of the count publishes this store.
        self.lifted.store(true, Ordering::Relaxed);
        if steps::LIFT_COUNTS {
            // Release: pairs with the acquire in `cancellations`. A thief that checked whether it is cancelled before this change checks
            // again.
            CANCELLED.fetch_add(1, steps::COUNT);
        }
    }

    /// Returns true if the mask was lifted, so that cancellations reach the jobs below it.
    pub(super) fn is_lifted(&self) -> bool {
        // Relaxed: a hint. A strand that misses the change later sees that the count of cancellations has changed, and checks again.
        self.lifted.load(Ordering::Relaxed)
    }
}
