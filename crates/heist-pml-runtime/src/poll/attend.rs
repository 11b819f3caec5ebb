//! Answers to polls.

use std::sync::atomic::Ordering;

use crate::exception::raise::unwind;
use crate::fork::barrier::rearm;
use crate::fork::publish::publish;
use crate::poll::collection;
use crate::state::strand::Cancelled;
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::{interrupt, thread_object};
use crate::wait::give;

/// Answers a poll: stops the worker if a stop is wanted, ends a cancelled strand, and publishes forks if an idle worker requests work.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn attend(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own, and the thunk has noted its frame, so live values are in slots of frames. No value and no
    // reference to the strand is used across the calls, and nothing has to be dropped if the strand is left.
    unsafe {
        (*worker).asked_no_more();
        if (*worker).ready.has_had_its_time() || (*worker).world().threads.urgent.has_any() {
            // An allocation by the runtime may have called this function. The strand cannot yield then, so the poll stays set, and the
            // strand yields at its next poll. Relaxed, but a read-modify-write, so that the next `answer` also pairs with a ring that came
            // since the last answer.
            (*worker).bell.poll.swap(1, Ordering::Relaxed);
        }
        Worker::safepoint(worker);
        let strand = (*worker).strand;
        if interrupt::asked() && (strand.is_null() || (*strand).may_end()) {
            (*worker).abandon();
        }
        if strand.is_null() {
            return;
        }
        leave_cancelled(worker);
        if (*worker).remembered_is_full() || (*worker).world().is_due() {
            collection::collect(worker, false);
        }
        // If there is no fork to publish and no strand to give away, `wanted` stays set, so that a loop that reads `wanted` divides itself.
        if (*worker).bell.wanted.load(Ordering::Relaxed) != 0
            && (publish(worker) | give::give(worker))
            && !(*worker).options().publish
        {
            (*worker).bell.wanted.store(0, Ordering::Relaxed);
        }
        // Two cases need a new barrier: the strand has returned over the barrier, or the poll was set in place of a barrier, and this
        // function has answered that poll.
        if !(*worker).has_clones() {
            rearm(worker, &mut *strand);
        }
    }
}

/// Abandons the cancelled parts of the strand that the worker runs.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. No frame between the thunk and this function may have
/// anything to drop.
pub unsafe fn leave_cancelled(worker: *mut Worker) {
    // SAFETY: the worker runs this strand, and frames up to the thunk have nothing to drop. `Above` names the frame of a scope or race,
    // whose call has a handler, and which no mask protects.
    unsafe {
        match (*(*worker).strand).cancelled() {
            Cancelled::No => {}
            Cancelled::Whole => (*worker).abandon(),
            // A preempted fiber leaves the part only when it continues, because its vproc now belongs to another fiber.
            Cancelled::Above(_) if thread_object::is_preempted((*worker).strand) => {}
            // The frame is about to call the part. The handler covers that call but not the poll before it, so the ring makes the first
            // poll of the part end the part.
            Cancelled::Above(frame) if !calls_part(worker, frame) => Worker::ring(worker),
            Cancelled::Above(frame) => unwind(worker, frame),
        }
    }
}

/// Returns true if the frame of a scope or race has called its part. In that case, a frame of the part is above this frame.
///
/// A handler for the frame's newest call does not prove that the frame has called its part: an enclosing handler of the frame also covers
/// the polls before that call.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. The frame must belong to that strand.
unsafe fn calls_part(worker: *const Worker, frame: usize) -> bool {
    // SAFETY: the worker runs the strand, so no other thread changes its frames and marks, and the thunk has noted its newest frame.
    unsafe {
        let newest = Walk::new((*worker).frame, (*(*worker).strand).marks()).next();
        newest.is_none_or(|newest| newest.pointer != frame)
    }
}
