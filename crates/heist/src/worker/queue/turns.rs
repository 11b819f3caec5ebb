//! Counts with which a worker decides from which queue it takes its next job.

use std::cell::Cell;

/// Counts with which a worker decides from which queue it takes its next job. Only the worker's own thread uses these counts.
#[derive(Debug, Default)]
pub(in crate::worker) struct Turns {
    /// Number of jobs that began with an empty stack, for [`WorkerThread::take_turns`](crate::worker::WorkerThread::take_turns).
    pub(in crate::worker) jobs: Cell<u32>,
    /// Number of tasks that the worker has pushed, while there were stubs, since it last searched its deques for stubs.
    pub(in crate::worker) pushes: Cell<u32>,
    /// Number of suspending tasks that this worker has queued for a scope that waits on this worker. The number wraps around. Every
    /// `ADMITTED`th of these tasks goes to the deque of tasks that are ready.
    pub(in crate::worker) admitted: Cell<u32>,
}
