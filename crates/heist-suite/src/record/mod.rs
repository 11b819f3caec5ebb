//! Records a program: the operations of a serial run, and the times between these operations.
//!
//! A recording runs the kernel on one thread with a context that reads the clock at every fork, at the end of every branch and at every
//! join. If requested, the recording stores the program in the form for the simulator ([`Dag`]). If requested, the recording also makes a
//! [`Profile`]: work and span, with the source positions of the longest chain of strands.
//!
//! The context reads the clock at the beginning of each event and at the end of the event's book-keeping, so strands do not include the
//! book-keeping. But strands include the cost of reading the clock, and the cost of optimisations that the events prevent, such as inlining
//! a branch. [`Recording::fit`] subtracts the two costs, so that all strands together take the time of the serial program. A profile is a
//! sum over strands, which cannot be corrected after the run. So [`Runner::fit`](crate::Runner::fit) corrects the times of earlier runs,
//! and the profile of the next run is a sum of the corrected times. The profile of a single run subtracts the measured cost of reading the
//! clock from each strand. The profile of a single run is less exact if a strand takes less time than a reading of the clock.

mod clock;
mod fit;
mod least;
mod profile;
mod sites;
mod tape;

pub use profile::{Profile, Speedup};
pub use sites::{Share, Site};
pub use tape::{Keep, Record};

pub(crate) use least::Least;
pub(crate) use tape::Tape;

use heist_sim::Dag;

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The program, if the recording keeps it. The time of each strand includes the cost of reading the clock.
    pub dag: Option<Dag>,
    /// Work and span, if requested.
    pub profile: Option<Profile>,
    /// The time from the start of the kernel to its end, in seconds. The time includes the cost of recording.
    pub elapsed: f64,
    /// The measured cost of reading the clock, in nanoseconds for each strand.
    pub reading: f64,
    /// The duration of a tick of the clock, in seconds.
    pub(crate) tick: f64,
}

impl Recording {
    /// Returns the recorded program, with its strands adjusted so that they add up to `seconds`. `seconds` should be the time of the
    /// serial program. Returns `None` if the recording has not kept the program.
    ///
    /// Recording adds about the same time to each strand, so this function subtracts the same time from each strand. The subtracted time is
    /// so small that at most one in ten strands has no time left. After the subtraction, the function scales all strands to remove the
    /// remaining difference. If strands have to become longer, the function only scales them.
    pub fn fit(self, seconds: f64) -> Option<Dag> {
        tape::fit(self.dag?, (seconds * 1e12) as u64)
    }
}
