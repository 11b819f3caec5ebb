//! Records a program: the operations of a serial run, and the times between these operations.
//!
//! A recording runs the kernel on one thread with a context that reads the clock at every fork, at the end of every branch and at every
//! join. From this the recording makes, if requested, the program in the form for the simulator ([`Dag`]), and the sums of work and span
//! with the source positions of the longest chain of strands ([`Profile`]).
//!
//! The context reads the clock when an event begins and when its book-keeping has ended, so strands do not include the book-keeping. But
//! they include the cost of reading the clock, and the cost of optimisations that the events prevent, such as inlining a branch.
//! [`Recording::fit`] subtracts both, so that all strands together take the time of the serial program. A profile is a sum, which cannot be
//! corrected after the run. So [`Runner::fit`](crate::Runner::fit) fits the times of earlier runs, and the next run sums these times. The
//! profile of a single run subtracts from each strand the measured cost of reading the clock, which is less exact if strands are shorter
//! than this cost.

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
    /// The program, if the recording keeps it. Each time includes the cost of reading the clock.
    pub dag: Option<Dag>,
    /// Work and span, if requested.
    pub profile: Option<Profile>,
    /// The time from the start of the kernel to its end in seconds, which includes the cost of recording.
    pub elapsed: f64,
    /// The measured cost of reading the clock, in nanoseconds for each strand.
    pub reading: f64,
    /// Seconds of a tick of the clock.
    pub(crate) tick: f64,
}

impl Recording {
    /// Returns the recorded program, with its strands adjusted so that they add up to `seconds`, the time of the serial program. Returns
    /// `None` if the program was not kept.
    ///
    /// Recording adds about the same time to each strand, so this function makes each strand shorter by the same time, at most until one in
    /// ten strands has no time left. It then scales all strands in proportion, to make up for the remaining difference. If strands have to
    /// become longer, it only scales them.
    pub fn fit(self, seconds: f64) -> Option<Dag> {
        tape::fit(self.dag?, (seconds * 1e12) as u64)
    }
}
