//! Pieces of work in queues.

use crate::task::Header;
use crate::worker::thread::WorkerThread;

/// A piece of work that a worker has taken out of its queue.
#[derive(Debug)]
pub(crate) enum Job {
    /// A task, or a frame from outside the pool. The worker only runs this job, and need not update a record afterwards.
    Run(*mut Header),
    /// A claimed frame. The worker that runs the frame must update the frame's record, which belongs to
    /// the victim.
    Claimed {
        /// The victim to which the frame belongs.
        victim: *const WorkerThread,
        /// The index of the deque cell from which the frame was claimed.
        index: u32,
        /// The frame.
        frame: *mut Header,
    },
}

// SAFETY: a job is the sole right to run a closure that is `Send` by the bounds of the public
// functions; the frame and the victim live until it has run.
unsafe impl Send for Job {}
