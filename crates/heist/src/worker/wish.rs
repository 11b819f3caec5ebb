//! A wish for private frames, and for how long it has not been answered.

use std::time::{Duration, Instant};

/// How long victims have to answer before a thief presses them: longer than a fork takes in all but coarse code. With
/// 1.5 us, victims whose leaves take 2 us (the rows of `heat`) were forced at every third step, and the fence cost both
/// sides more than the answer would have.
pub(super) const GRACE: Duration = Duration::from_micros(6);
/// The same while they neither fork nor join: they are in a long leaf, then, and as likely as not it lasts.
const STILL: Duration = Duration::from_micros(2);

/// What a thief waits for.
#[derive(Debug)]
pub(super) struct Wish {
    since: Instant,
    /// Where victims' tails were, taken together, and since when they have been there.
    tails: usize,
    still: Instant,
}

impl Wish {
    pub(super) fn new(tails: usize) -> Self {
        let now = Instant::now();
        Wish {
            since: now,
            tails,
            still: now,
        }
    }

    /// One that was made long ago.
    pub(super) fn overdue() -> Option<Self> {
        let long_ago = Instant::now().checked_sub(GRACE * 2)?;
        Some(Wish {
            since: long_ago,
            tails: 0,
            still: long_ago,
        })
    }

    /// Whether it is time to press who has not answered, of whom the tails are here now.
    pub(super) fn is_overdue(&mut self, tails: usize) -> bool {
        let now = Instant::now();
        if tails != self.tails {
            (self.tails, self.still) = (tails, now);
        }
        now - self.still > STILL || now - self.since > GRACE
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{GRACE, STILL, Wish};
    use std::thread::sleep;
    use std::time::Instant;

    #[test]
    fn who_moves_has_longer_than_who_does_not() {
        let mut wish = Wish::new(1);
        let began = Instant::now();
        let early = wish.is_overdue(1);
        assert!(!early || began.elapsed() > STILL);
        sleep(STILL);
        assert!(wish.is_overdue(1));
        let mut wish = Wish::new(1);
        let began = Instant::now();
        sleep(STILL);
        let early = wish.is_overdue(2);
        assert!(!early || began.elapsed() > GRACE);
        sleep(GRACE);
        assert!(wish.is_overdue(3));
        assert!(Wish::overdue().unwrap().is_overdue(4));
    }
}
