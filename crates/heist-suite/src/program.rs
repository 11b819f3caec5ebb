//! Description of a program for its callers.

use crate::contender::Contender;
use crate::data::Data;
use crate::runner::Runner;

/// Size of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A fraction of a second, serially.
    Quick,
    /// As in the paper, or a size that takes seconds where the paper names none.
    Paper,
    /// The program's own measure, which `params` names.
    N(u64),
}

impl Size {
    /// The measure, given the program's own quick and paper ones.
    pub(crate) fn pick(self, quick: u64, paper: u64) -> u64 {
        match self {
            Size::Quick => quick,
            Size::Paper => paper,
            Size::N(n) => n,
        }
    }
}

/// Makes an input of that size; the error is one line for the user.
pub type Prepare = fn(Size, &Data) -> Result<Box<dyn Instance>, String>;

/// A program of the suite.
#[derive(Debug)]
pub struct Program {
    /// The word for it on a command line.
    pub name: &'static str,
    /// The computation, described in one line.
    pub about: &'static str,
    /// The paper and section, or the origin.
    pub source: &'static str,
    /// Contenders that can run it.
    pub contenders: &'static [Contender],
    /// Makes an input.
    pub prepare: Prepare,
}

/// A program with its input: `reset`, `run` and `check` it as often as you like.
pub trait Instance: Send {
    /// The input in the program's words.
    fn params(&self) -> String;

    /// Prepares a run by restoring what the last one changed; not to be timed.
    fn reset(&mut self);

    /// One run, of the kernel only; to be timed.
    fn run(&mut self, who: Contender, on: &Runner);

    /// Compares the last run's result with the expected one; an error says in one line what differs.
    fn check(&mut self) -> Result<(), String>;

    /// Forks (or, in finish-style programs, spawned tasks) in one run. The first call may take as long as a run.
    fn forks(&self) -> Option<u64>;
}
