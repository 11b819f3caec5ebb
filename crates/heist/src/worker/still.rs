//! Whether the threads of a crew can go on by themselves.

use super::carrier::Carrier;
use super::crew::Crew;

impl Carrier {
    /// If the carrier does nothing, and will not before somebody else acts: a number that is another one
    /// after it has done something. What only it can do is something. True of it as `Ok` if it would take
    /// work, as `Err` if it waits for something else.
    fn still(&self) -> Option<Result<u64, u64>> {
        // First: if these have just been taken, it is seen below that the carrier is up.
        if self.has_letters() {
            return None;
        }
        match self.seat.stuck() {
            Some(wait) => Some(Err(wait)),
            None => self.activity.periods().map(Ok),
        }
    }
}

impl Crew {
    /// If none of the crew's threads does anything, nor will before a thread that is not the crew's
    /// acts: how many they are. Pushes numbers to `stamps`, of which one at least is another one if
    /// any thread has done something between two calls.
    pub(crate) fn still_threads(&self, stamps: &mut Vec<u64>) -> Option<usize> {
        // First: who has just taken it is seen below to be up.
        let queued = self.has_queued();
        let queued = match self.has_frames_for_strangers() {
            Some(frames) => queued || frames,
            // Below all have ended, or there is no answer.
            None => queued,
        };
        let mut threads = 0;
        let mut takers = false;
        for carrier in self.carriers_with_threads()? {
            let still = carrier.still()?;
            takers |= still.is_ok();
            // Apart: it may have gone from one to the other.
            stamps.push(match still {
                Ok(periods) => periods << 1,
                Err(wait) => wait << 1 | 1,
            });
            threads += 1;
        }
        // What is queued where nobody would take it cannot run either: who waits last has tried to
        // start a thread for it before it settled down.
        (!(takers && queued)).then_some(threads)
    }
}
