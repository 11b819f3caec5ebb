//! Describes a program to its callers.

use crate::contender::Contender;
use crate::data::Data;
use crate::runner::Runner;

/// The size of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A size at which a serial run takes a fraction of a second.
    Quick,
    /// The size of the paper. If the paper names no size, a size at which a serial run takes seconds.
    Paper,
    /// A number, in the program's own unit, which `params` names.
    N(u64),
}

impl Size {
    /// Returns the size as a number. The arguments are the program's quick size and its paper size.
    pub(crate) fn pick(self, quick: u64, paper: u64) -> u64 {
        match self {
            Size::Quick => quick,
            Size::Paper => paper,
            Size::N(n) => n,
        }
    }
}

/// A function that makes an instance with an input of the given size. The error is one line for the user.
pub type Prepare = fn(Size, &Data) -> Result<Box<dyn Instance>, String>;

/// A program of the suite.
#[derive(Debug)]
pub struct Program {
    /// The program's name on a command line.
    pub name: &'static str,
    /// One line that describes the computation.
    pub about: &'static str,
    /// The paper and section from which the program comes, or another origin.
    pub source: &'static str,
    /// The contenders that can run the program.
    pub contenders: &'static [Contender],
    /// Makes an instance with an input.
    pub prepare: Prepare,
}

/// A program with its input. Callers may call `reset`, `run` and `check` any number of times, in this order.
pub trait Instance: Send {
    /// Returns a description of the input.
    fn params(&self) -> String;

    /// Prepares a run by undoing the changes of the last run. The caller does not time this call.
    fn reset(&mut self);

    /// Runs the kernel once. The caller times this call.
    fn run(&mut self, who: Contender, on: &Runner);

    /// Compares the last run's result with the expected result. If the results differ, returns a one-line error that describes the
    /// difference.
    fn check(&mut self) -> Result<(), String>;

    /// Returns the number of forks in one run. If the program runs its tasks with [`Finish`](crate::Finish), returns the number of spawned
    /// tasks. The first call may take as long as a run.
    fn forks(&self) -> Option<u64>;
}
