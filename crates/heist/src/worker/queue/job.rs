//! Pieces of work in queues.

use crate::task::Header;
use crate::worker::thread::WorkerThread;

/// A piece of work that a worker has taken out of its queue.
#[derive(Debug)]
pub(crate) enum Job {
    /// A task or an outside frame, which only has to be run.
    Run(*mut Header),
    /// A claimed fork: its record must be kept, on the worker it was claimed from.
    Claimed {
        /// The victim to which the frame belongs.
        victim: *const WorkerThread,
        /// The slot it was claimed at.
        index: u32,
        /// The frame.
        frame: *mut Header,
    },
}

// SAFETY: a job is the sole right to run something that is `Send` by the bounds of the public
// functions; the pointed-to things live until it has run.
unsafe impl Send for Job {}
