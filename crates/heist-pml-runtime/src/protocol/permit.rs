//! The permit of a thread of the program: one strand parks until another gives it the permit. The essay of this folder has its states.

use super::shim::{AtomicUsize, Ordering};
use super::steps;

/// The strand has no permit.
const NONE: usize = 0;
/// The strand has a permit: its next park returns at once.
const GIVEN: usize = 1;
/// The strand is parked: giving the permit makes it run again.
const PARKED: usize = 2;

/// At most one permit, or a strand that waits for it.
#[repr(transparent)]
#[derive(Debug)]
pub struct Permit(AtomicUsize);

impl Default for Permit {
    fn default() -> Permit {
        Permit(AtomicUsize::new(NONE))
    }
}

impl Permit {
    /// The word of a new permit, in its memory format.
    pub const WORD: usize = NONE;

    /// Takes the permit if the strand has one.
    #[must_use]
    pub fn take(&self) -> bool {
        // Acquire: pairs with the release in `give`, so the giver's writes are seen. Only the strand itself takes it away.
        self.0
            .compare_exchange(GIVEN, NONE, steps::PERMIT_TAKE, Ordering::Relaxed)
            .is_ok()
    }

    /// The strand waits from now on; or if the permit is there, takes it: then false.
    ///
    /// Called once the strand is saved: the thread that gives the permit may run it at once.
    #[must_use]
    pub fn park(&self) -> bool {
        // AcqRel: Release hands the strand on to the thread that gives the permit; Acquire of the failure as in `take`.
        let parked = self
            .0
            .compare_exchange(NONE, PARKED, steps::PERMIT_PARK, steps::PERMIT_TAKE);
        if parked.is_err() {
            // Relaxed: only the strand itself takes the permit away, and one that is given twice is one.
            self.0.store(NONE, Ordering::Relaxed);
        }
        parked.is_ok()
    }

    /// Gives the permit. True if the strand was parked: it is the caller's, to be run again, and the permit is used up.
    #[must_use]
    pub fn give(&self) -> bool {
        // Relaxed: the exchange decides.
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let after = if before == PARKED { NONE } else { GIVEN };
            // AcqRel: Release pairs with the acquire in `take` and `park`, also if the permit is there already: what this caller has
            // written is to be seen as well. Acquire pairs with the release in `park`, so the strand is seen saved.
            match self
                .0
                .compare_exchange(before, after, steps::PERMIT_GIVE, Ordering::Relaxed)
            {
                Ok(_) => return before == PARKED,
                Err(other) => before = other,
            }
        }
    }

    /// Whether the strand is parked. Only a caller that keeps others from parking and from giving relies on it.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        // Relaxed: see the doc.
        self.0.load(Ordering::Relaxed) == PARKED
    }
}
