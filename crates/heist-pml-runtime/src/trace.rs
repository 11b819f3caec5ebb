//! The runtime's part of a trace of the pool (`heist::trace`): strands, collections, promotions and publications.
//! Steals are recorded as those of any pool. All of this is on slow paths, and costs a load and a test while no trace
//! is on.

use std::fmt;
use std::sync::Arc;

use heist::embed;
use heist::trace::Trace;

/// A strand runs. The number is the strand's.
pub static STRAND: &str = "strand";
/// A worker's young generation is collected. The number is that of the copied bytes.
pub static MINOR: &str = "minor collection";
/// All generations are collected. The number is that of the copied bytes.
pub static MAJOR: &str = "major collection";
/// A worker waits until the others have stopped.
pub static STOPPING: &str = "stopping the others";
/// A stopped worker waits until it may continue.
pub static STOPPED: &str = "stopped";
/// Objects are moved so that other workers may see them. The number is that of their bytes.
pub static PROMOTION: &str = "promotion";
/// A system call that may take long.
pub static OUTSIDE: &str = "system call";
/// Forks were published. The number is theirs.
pub static PUBLISHED: &str = "published";
/// A strand waits at a join. The number is the strand's.
pub static SUSPENDED: &str = "suspended";

/// A trace of a program.
#[derive(Clone)]
pub struct Tracing {
    /// Number of events to keep for each thread.
    pub events: usize,
    /// The function that gets the trace when the program ends.
    pub done: Arc<dyn Fn(Trace) + Send + Sync>,
}

impl fmt::Debug for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracing")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

/// Returns the worker of this thread, if its pool is traced.
fn here() -> Option<embed::Worker> {
    // SAFETY: the worker is used at once, within the job that the thread runs.
    unsafe { embed::Worker::current() }.filter(|worker| worker.is_traced())
}

/// Records that a part of a worker's work begins.
pub fn begins(what: &'static &'static str, number: u64) {
    if let Some(worker) = here() {
        worker.part_begins(what, number);
    }
}

/// Records that the innermost part ends, with this amount of work.
pub fn ends(amount: u64) {
    if let Some(worker) = here() {
        worker.part_ends(amount);
    }
}

/// Records an event.
pub fn note(what: &'static &'static str, amount: u64) {
    if let Some(worker) = here() {
        worker.note(what, amount);
    }
}
