//! Records a program: the operations of a serial run, and the times between them.
//!
//! A recording runs the kernel on one thread with a context that reads the clock at every fork, at the end of every
//! branch and at every join. From that it writes the program down for the simulator ([`Dag`]), and sums up work, span
//! and where the longest chain of strands goes through the source ([`Profile`]), each if asked to.
//!
//! The clock is read when an event begins and when its book-keeping has ended, so the latter is not in the strands.
//! There remain the cost of reading the clock, and what the events keep the compiler and the processor from doing,
//! such as inlining a branch. [`Recording::fit`] takes both off, so that all strands together take what the serial program
//! takes. A profile cannot wait for that: the cost of reading the clock, measured beforehand, is taken off each strand,
//! and [`Profile::fit`] sets the sum right. In programs whose strands are shorter than that it is the less exact of
//! the two.

mod clock;
mod profile;
mod sites;
mod tape;

pub use profile::{Profile, Speedup};
pub use sites::{Share, Site};
pub use tape::{Keep, Record};

pub(crate) use tape::Tape;

use heist_sim::Dag;

/// A recorded run.
#[derive(Debug)]
pub struct Recording {
    /// The program, if the recording keeps it. Times are as measured: each includes the cost of reading the clock.
    pub dag: Option<Dag>,
    /// Work and span, if requested.
    pub profile: Option<Profile>,
    /// Time from the start of the kernel to its end, recording included, in seconds.
    pub elapsed: f64,
    /// Measured cost of reading the clock, in nanoseconds a strand.
    pub reading: f64,
}

impl Recording {
    /// Returns the smaller of each strand's times in two recordings of the same run, with the profile of the faster recording. If the
    /// recordings are of different runs, returns the faster one.
    #[must_use]
    pub fn least(self, other: Recording) -> Recording {
        let (mut best, rest) = if other.elapsed < self.elapsed {
            (other, self)
        } else {
            (self, other)
        };
        if let (Some(dag), Some(rest)) = (&best.dag, &rest.dag)
            && let Some(least) = dag.clone().least(rest)
        {
            best.dag = Some(least);
        }
        best
    }

    /// Returns the recorded program, with strands that were adjusted so that they add up to `seconds`, the time of the serial program.
    /// Returns `None` if the program was not kept.
    ///
    /// Recording adds about the same time to each strand, so each strand becomes shorter by the same time, until one in ten strands has no
    /// time left. The remaining difference changes all strands in proportion, and so does a difference that makes them longer.
    pub fn fit(self, seconds: f64) -> Option<Dag> {
        tape::fit(self.dag?, (seconds * 1e12) as u64)
    }
}
