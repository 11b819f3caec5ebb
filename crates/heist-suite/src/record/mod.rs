//! Records a program: the operations of a serial run, and the times between them.
//!
//! A recording runs the kernel on one thread with a context that reads the clock at every fork, at the end of every
//! branch and at every join. From that it writes the program down for the simulator ([`Dag`]), and sums up work, span
//! and where the longest chain of strands goes through the source ([`Profile`]), each if asked to.
//!
//! The clock is read when an event begins and when its book-keeping has ended, so the latter is not in the strands.
//! There remain the cost of reading the clock, and what the events keep the compiler and the processor from doing,
//! such as inlining a branch. [`Recording::fit`] takes both off a program, so that all strands together take as long as the serial program.
//! A profile is a sum, which cannot be changed later. So [`Runner::fit`](crate::Runner::fit) fits the times of earlier runs, and the next
//! run sums up these. In a profile of a single run, each strand is shortened by the measured cost of reading the clock, which is less
//! exact if strands are shorter than that.

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
    /// The program, if the recording keeps it. Times are as measured: each includes the cost of reading the clock.
    pub dag: Option<Dag>,
    /// Work and span, if requested.
    pub profile: Option<Profile>,
    /// Time from the start of the kernel to its end, recording included, in seconds.
    pub elapsed: f64,
    /// Measured cost of reading the clock, in nanoseconds a strand.
    pub reading: f64,
    /// Seconds of a tick of the clock.
    pub(crate) tick: f64,
}

impl Recording {
    /// Returns the recorded program, with strands that were adjusted so that they add up to `seconds`, the time of the serial program.
    /// Returns `None` if the program was not kept.
    ///
    /// Recording adds about the same time to each strand, so each strand becomes shorter by the same time, until one in ten strands has no
    /// time left. The remaining difference changes all strands in proportion, and so does a difference that makes them longer.
    pub fn fit(self, seconds: f64) -> Option<Dag> {
        tape::fit(self.dag?, (seconds * 1e12) as u64)
    }
}
