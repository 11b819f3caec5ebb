//! Whether a searcher lets other threads run first.

use crate::platform::{Ticks, ticks};
use std::thread;

/// What a job may wait for a searcher who is away: some 100 us.
const LONG: Ticks = 250_000;
/// For how many searches at most nothing is tried again.
const MOST: u32 = 255;

/// A searcher's courtesy.
///
/// What has just ended may have woken a thread that is no worker, and that waits for this CPU: where there are no more CPUs than workers,
/// 14 us more from the end of a loop until its caller goes on. So who searches lets others run first. But where the CPUs are in use by
/// other programs, too, it may not come back for milliseconds; and it counts as a searcher meanwhile, so that nobody else is woken for
/// a job. So this is left alone for ever longer where a job was found to have waited for it.
#[derive(Debug)]
pub(super) struct Courtesy {
    /// For how many searches it is left alone, after one that did harm.
    shy: u32,
    /// For how many more.
    left: u32,
}

impl Courtesy {
    pub(super) fn new() -> Self {
        Courtesy { shy: 0, left: 0 }
    }

    /// Lets others run, if that is likely to do no harm. Says when it did.
    pub(super) fn offer(&mut self) -> Option<Ticks> {
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        let now = ticks();
        thread::yield_now();
        Some(now)
    }

    /// Learns from work that was found after an offer at `since`: the last job from outside came at `job`.
    pub(super) fn learn(&mut self, since: Ticks, job: Ticks) {
        self.learn_at(ticks(), since, job);
    }

    fn learn_at(&mut self, now: Ticks, since: Ticks, job: Ticks) {
        let harm = job > since && now.saturating_sub(job) > LONG;
        self.shy = match harm {
            true => (4 * self.shy + 3).min(MOST),
            false => self.shy / 2,
        };
        self.left = self.shy;
    }
}

#[cfg(test)]
mod tests {
    use super::{Courtesy, LONG};

    #[test]
    fn harm_makes_shy_for_a_while() {
        let mut courtesy = Courtesy::new();
        let mut skipped = |harm| {
            let since = courtesy.offer().expect("it was time");
            courtesy.learn_at(
                since + 2 * LONG,
                since,
                since + if harm { 1 } else { 2 * LONG },
            );
            let mut skipped = 0;
            while courtesy.left > 0 {
                assert!(courtesy.offer().is_none());
                skipped += 1;
            }
            skipped
        };
        // A job that came late has not waited, however long others ran before.
        assert_eq!(skipped(false), 0);
        assert_eq!([true; 5].map(&mut skipped), [3, 15, 63, 255, 255]);
        assert_eq!([false; 4].map(&mut skipped), [127, 63, 31, 15]);
        // Nor has one that came before.
        let mut courtesy = Courtesy::new();
        courtesy.learn_at(5 * LONG, 2 * LONG, LONG);
        assert!(courtesy.offer().is_some());
    }
}
