//! The end of the left side of a fork.

use crate::poll::join::{Joined, drop_task, finish, join_task};
use crate::protocol::job::State;
use crate::state::pool;
use crate::state::strand::Entry;
use crate::state::switch::{POLLED, WAITS};
use crate::state::worker::Worker;
use crate::thread::park;
use crate::wait::tell::tell_cancelled;

/// Joins the fork at `place` in the calling frame. The fork's left side must be done. This function stores the result in the worker, where
/// the thunk reads it.
///
/// # Safety
/// Only the thunk for this function may call the function, on the strand that the worker runs.
pub unsafe fn join(worker: *mut Worker, place: usize) -> Joined {
    // SAFETY: the thunk passes the worker that this thread runs on, and it runs a strand.
    if unsafe { (*worker).has_clones() } {
        // SAFETY: the thunk of a join called, on the strand that the worker runs.
        return unsafe { join_task(worker) };
    }
    // SAFETY: the worker runs this strand, so no other thread writes to it. `finish` makes its own reference, after the last use of
    // `strand`.
    let strand = unsafe { &mut *(*worker).strand };
    // SAFETY: the thunk has noted its frame, which holds its caller's frame pointer.
    let frame = unsafe { *((*worker).frame as *const usize) };
    let own = |entry: &Entry| entry.frame == frame && entry.place == place;
    if !strand.entries.last().is_some_and(own) {
        // SAFETY: the thunk has noted its frame, so the poll may collect. If the strand waits for its turn in the poll, its fork is
        // unchanged afterwards.
        return match unsafe { park::poll(worker) } {
            WAITS => Joined::Wait,
            _ => Joined::Here,
        };
    }
    let Some(entry) = strand.entries.last() else {
        return Joined::Here;
    };
    let found = entry.job().retract();
    // SAFETY: the worker runs the strand, whose newest entry is this fork, and the call came from the thunk of a join.
    unsafe { finish(worker, found) }
}

/// Drops the fork at `place` in the calling frame, and then polls like [`park::poll`]. The fork's left side must be done, and its right
/// side must not be needed. If a thief computes the right side, the thief stops at its next poll.
///
/// # Safety
/// Only the thunk for this function may call the function, on the strand that the worker runs.
pub unsafe fn drop_fork(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: the worker runs this strand, so no other thread writes to it. The thunk has noted its frame, whose first word is the frame
    // pointer of its caller. No reference is used after the poll, which may collect.
    unsafe {
        if (*worker).has_clones() {
            drop_task(worker);
            return POLLED;
        }
        let strand = &mut *(*worker).strand;
        let frame = *((*worker).frame as *const usize);
        let own = |entry: &mut Entry| entry.frame == frame && entry.place == place;
        if let Some(entry) = strand.entries.pop_if(own) {
            strand.armed = false;
            match entry.job().cancel() {
                State::Published => pool::forget(&entry.queued),
                State::Taken => tell_cancelled((*worker).world()),
                _ => {}
            }
        }
        park::poll(worker)
    }
}
