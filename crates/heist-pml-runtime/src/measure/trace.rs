//! The runtime's part of a trace of the pool (`heist::trace`): strands, collections, promotions and publications. The pool itself records
//! steals. The runtime makes all of its records on slow paths. While no trace is being recorded, each call of these functions costs a load
//! and a test.

use std::fmt;
use std::sync::Arc;

use heist::embed;
use heist::trace::Trace;

/// The time in which a strand runs, with the strand's number.
pub static STRAND: &str = "strand";
/// A collection of a worker's young generation, with the number of copied bytes.
pub static MINOR: &str = "minor collection";
/// A collection of all generations, with the number of copied bytes.
pub static MAJOR: &str = "major collection";
/// The time in which a worker waits until all other workers have stopped.
pub static STOPPING: &str = "stopping the others";
/// The time in which a stopped worker waits until it may continue.
pub static STOPPED: &str = "stopped";
/// A promotion, with the number of promoted bytes. A promotion moves or copies objects so that other workers may see them.
pub static PROMOTION: &str = "promotion";
/// A system call that may take a long time.
pub static OUTSIDE: &str = "system call";
/// The event that forks were published, with the number of forks.
pub static PUBLISHED: &str = "published";
/// The event that a strand begins to wait, with the strand's number.
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
    // SAFETY: the worker is used only within the job that the thread runs.
    unsafe { embed::Worker::current() }.filter(|worker| worker.is_traced())
}

/// Records the beginning of a part of the worker's work, such as a collection.
pub fn begins(what: &'static &'static str, number: u64) {
    if let Some(worker) = here() {
        worker.part_begins(what, number);
    }
}

/// Records the end of the innermost part of the worker's work, with the amount of work.
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
