//! Joins of published forks.

use crate::exception::raise::unwind;
use crate::poll::attend::attend;
use crate::process::ends::fatal;
use crate::protocol::job::{Found, Job, State};
use crate::state::pool;
use crate::state::worker::Worker;
use crate::wait::tell::tell_cancelled;

/// The result of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Joined {
    /// No thief has taken the fork, so the owner must compute the right side.
    Here = 0,
    /// The right side has returned. The results of the right side are in the worker.
    Done = 1,
    /// The right side has raised. The exception of the right side is in the worker.
    Raised = 2,
    /// A thief computes the right side, so the strand waits.
    Wait = 3,
}

/// Ends a join of the newest published fork of the worker's strand.
///
/// # Safety
/// Only [`join`] or the thunk of a join may call this function, on the strand that the worker runs. The newest entry of the strand must be
/// the fork whose state is `found`.
pub(crate) unsafe fn finish(worker: *mut Worker, found: Found) -> Joined {
    // SAFETY: the worker runs this strand, so no other thread writes to it, and the callers do not use their references any more.
    let strand = unsafe { &mut *(*worker).strand };
    match found {
        Found::Here => {
            if let Some(entry) = strand.entries.pop() {
                pool::forget(&entry.queued);
            }
            strand.armed = false;
            // SAFETY: the thunk has noted its frame, so the poll may collect. `strand` is not used after this.
            unsafe { attend(worker) };
            Joined::Here
        }
        Found::Done { raised } => {
            let entry = strand.entries.pop();
            strand.armed = false;
            // The ring sets the worker's poll, and the answer to this poll puts a return barrier at the frame of the next older published
            // fork.
            // SAFETY: the state DONE gives the results to the owner, this strand. Nothing is collected before the strand's code has taken
            // the results from the worker.
            unsafe {
                Worker::ring(worker);
                if let Some(entry) = entry {
                    receive(worker, entry.job());
                }
            }
            if raised { Joined::Raised } else { Joined::Done }
        }
        // SAFETY: no frame between the thunk and this function has anything to drop. A frame of a scope or race of this strand has a call
        // with a handler.
        Found::Left => unsafe {
            match strand.cancelled_above() {
                Some(frame) => unwind(worker, frame),
                None => (*worker).abandon(),
            }
        },
        Found::Taken => Joined::Wait,
    }
}

/// Puts the results of a job into the worker.
///
/// # Safety
/// The job must be done, and the worker must be the calling thread's own.
pub unsafe fn receive(worker: *mut Worker, job: &Job) {
    // SAFETY: `worker` is this thread's own. The owner has seen that the job is done, so the thief does not use the results any more.
    unsafe {
        for (at, word) in job.results().iter().enumerate() {
            (&mut (*worker).results)[at] = *word;
        }
        (*worker).raised = job.origin();
    }
}

/// Joins the newest published fork, because compiled code has reached the end of its left side.
///
/// # Safety
/// Only the thunk of a join may call this function, on the strand that the worker runs.
pub unsafe fn join_task(worker: *mut Worker) -> Joined {
    // SAFETY: the thunk of a join called, on the strand that the worker runs, so no other thread writes to the strand. The reference is not
    // used after the call of `finish`.
    unsafe {
        let strand = &mut *(*worker).strand;
        let Some(entry) = strand.entries.last() else {
            fatal("internal error: a join without a fork")
        };
        finish(worker, entry.job().retract())
    }
}

/// Drops the newest published fork, whose right side is not needed, and polls.
///
/// # Safety
/// Only the thunk of a join may call this function, on the strand that the worker runs.
pub unsafe fn drop_task(worker: *mut Worker) {
    // SAFETY: the thunk of a join called, on the strand that the worker runs, so no other thread writes to the strand. The reference is not
    // used after the entry was taken; `attend` may collect.
    unsafe {
        let strand = &mut *(*worker).strand;
        {
            let Some(entry) = strand.entries.pop() else {
                fatal("internal error: the end of a fork that has not begun")
            };
            match entry.job().cancel() {
                State::Published => pool::forget(&entry.queued),
                State::Taken => tell_cancelled((*worker).world()),
                _ => {}
            }
            // The entry is dropped here, because `attend` may leave this frame without drops.
        }
        attend(worker);
    }
}
