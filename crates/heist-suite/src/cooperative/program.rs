//! The description of a program of cooperating tasks: its name, source, entrants and inputs, and a function that prepares a run.

use std::fmt;
use std::sync::Arc;

use super::dag::{Dag, Flow};
use super::rounds::{self, Local, Rounds};
use super::{Entrant, Input, Pools};
use crate::data::Data;
use crate::program::Size;

/// A function that makes an instance with an input of the given kind and size. The error is one line for the user.
pub type Prepare = fn(Input, Size, &Data) -> Result<Box<dyn Instance>, String>;

/// A program of cooperating tasks.
pub struct Entry {
    /// The program's name on a command line.
    pub name: &'static str,
    /// One line that describes the computation.
    pub about: &'static str,
    /// The paper and section from which the program comes, or another origin.
    pub source: &'static str,
    /// The entrants that can run the program.
    pub entrants: &'static [Entrant],
    /// The inputs on which the program can run. The first input is the default.
    pub inputs: &'static [Input],
    /// Makes an instance with an input, which must be one of [`inputs`](Entry::inputs).
    pub prepare: Prepare,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A program with its input. Callers may call `reset`, `run` and `check` any number of times, in this order.
pub trait Instance: Send {
    /// Returns a description of the input.
    fn params(&self) -> String;

    /// Prepares a run by undoing the changes of the last run. The caller does not time this call.
    fn reset(&mut self);

    /// Runs the program once. The caller times this call.
    ///
    /// # Errors
    /// Returns a one-line error if the entrant cannot run the program, or cannot run it at this size.
    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String>;

    /// Compares the last run's result with the expected result.
    ///
    /// # Errors
    /// Returns a one-line error that describes the difference. If there was no run, the error says so.
    fn check(&self) -> Result<(), String>;
}

/// The functions of an [`Instance`] that do not depend on the entrant.
pub(super) trait Checked {
    fn params(&self) -> String;
    fn reset(&self);
    fn check(&self) -> Result<(), String>;
}

/// The function with which an entrant runs a kernel.
type Drive<K> = fn(Entrant, &Pools, &Arc<K>) -> Result<(), String>;

struct InRounds<K> {
    kernel: Arc<K>,
    drive: Drive<K>,
}

/// Makes an instance of a kernel in which all nodes wait at a barrier between rounds.
pub(super) fn in_rounds<K: Rounds + Checked>(kernel: Arc<K>) -> Box<dyn Instance> {
    let drive = rounds::run::<K>;
    Box::new(InRounds { kernel, drive })
}

/// Makes an instance of a kernel whose nodes wait only for their neighbours.
pub(super) fn in_local_rounds<K: Local + Checked>(kernel: Arc<K>) -> Box<dyn Instance> {
    let drive = rounds::run_local::<K>;
    Box::new(InRounds { kernel, drive })
}

impl<K: Rounds + Checked> Instance for InRounds<K> {
    fn params(&self) -> String {
        self.kernel.params()
    }

    fn reset(&mut self) {
        self.kernel.reset();
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        (self.drive)(who, pools, &self.kernel)
    }

    fn check(&self) -> Result<(), String> {
        self.kernel.check()
    }
}

/// Makes an instance of a program whose tasks wait for the results of other tasks. `end` runs after all tasks.
pub(super) fn in_flow<D: Dag + Checked>(flow: Flow<D>, end: fn(&D)) -> Box<dyn Instance> {
    Box::new(InFlow { flow, end })
}

struct InFlow<D> {
    flow: Flow<D>,
    end: fn(&D),
}

impl<D: Dag + Checked> Instance for InFlow<D> {
    fn params(&self) -> String {
        self.flow.dag().params()
    }

    fn reset(&mut self) {
        self.flow.dag().reset();
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        self.flow.run(who, pools)?;
        (self.end)(self.flow.dag());
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        self.flow.dag().check()
    }
}
