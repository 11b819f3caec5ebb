//! The permit of a thread of the program: a strand parks until another strand gives it the permit. The README of this folder explains the
//! states of a permit.

use super::shim::{AtomicUsize, Ordering};
use super::steps;

/// The strand has no permit.
const NONE: usize = 0;
/// The strand has a permit: its next park returns immediately.
const GIVEN: usize = 1;
/// The strand is parked: giving the permit makes the strand run again.
const PARKED: usize = 2;

/// A word that says whether a strand has a permit, or waits for one.
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
        // Relaxed: `park` finds a permit that this load misses.
        if self.0.load(Ordering::Relaxed) != GIVEN {
            return false;
        }
        // Acquire: pairs with the release in `give`, so the strand sees the giver's writes. Only the strand itself takes the permit away.
        self.0
            .compare_exchange(GIVEN, NONE, steps::PERMIT_TAKE, Ordering::Relaxed)
            .is_ok()
    }

    /// Parks the strand and returns true. If the strand has a permit, takes the permit instead and returns false.
    ///
    /// The strand must be saved before the call, because the thread that gives the permit may run the strand immediately.
    #[must_use]
    pub fn park(&self) -> bool {
        // AcqRel: Release shows the saved strand to the thread that gives the permit. A failed exchange acquires the giver's writes.
        let parked = self
            .0
            .compare_exchange(NONE, PARKED, steps::PERMIT_PARK, steps::PERMIT_TAKE);
        if parked.is_err() {
            // Relaxed: only the strand itself takes the permit away, and a second permit that is given before then has no effect.
            self.0.store(NONE, Ordering::Relaxed);
        }
        parked.is_ok()
    }

    /// Gives the permit. Returns true if the strand was parked. In this case the strand has used up the permit, and the caller must make
    /// the strand run again.
    #[must_use]
    pub fn give(&self) -> bool {
        // Relaxed: the exchange decides.
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let after = if before == PARKED { NONE } else { GIVEN };
            // AcqRel: Release pairs with the acquire in `take` and `park`, even if the permit is there already, because the strand must
            // also see this caller's writes. Acquire pairs with the release in `park`, so the caller sees the saved strand.
            match self
                .0
                .compare_exchange(before, after, steps::PERMIT_GIVE, Ordering::Relaxed)
            {
                Ok(_) => return before == PARKED,
                Err(other) => before = other,
            }
        }
    }

    /// Returns true if the strand is parked. The result may be out of date, unless the caller prevents other threads from giving the
    /// permit, and the strand from parking.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        // Relaxed: the caller excludes changes.
        self.0.load(Ordering::Relaxed) == PARKED
    }
}
