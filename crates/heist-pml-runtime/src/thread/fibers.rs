//! Preemption of fibers, the strands that the program's scheduler runs (`scheduler.sml` of the Basis).
//!
//! The scheduler knows which strand runs on which vproc. Only the runtime can take a strand off its vproc at a poll. The strand then waits
//! until the scheduler calls [`go_on`] for the strand. A new thread calls the closure of [`on_preempt`] with the strand's object, and the
//! closure makes the signal `PREEMPT` from that object.

use std::sync::atomic::Ordering;

use super::{choices, object_of, park, spawn, succeed, unpark};
use crate::collect::promote;
use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::switch::{POLLED, WAITS};
use crate::state::thread_object::{ASKED, GIVEN, GONE, PREEMPTED, PREEMPTIBLE, flags, permit};
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Preempts the running strand if a preemption is due. If the strand was preempted earlier and must not continue yet, makes it wait again.
/// Returns `None` in all other cases.
///
/// # Safety
/// Only [`super::poll`] may call this function, for a thunk, on the strand that the worker runs. The strand must be a fiber.
pub(crate) unsafe fn poll(worker: *mut Worker) -> Option<u64> {
    // SAFETY: `worker` is this thread's own and runs the strand, a fiber, which has an object. The object is old. A collection in `spawn`
    // may move it, so it is read again after the call. The thunk has noted its frame.
    unsafe {
        let object = (*(*worker).strand).object;
        // Acquire: pairs with the release in `go_on`.
        let now = flags(object).load(Ordering::Acquire);
        if now & PREEMPTED != 0 {
            return Some(wait(worker));
        }
        if (*(*worker).strand).has_waited {
            return Some(waited(worker));
        }
        if now & PREEMPTIBLE == 0 {
            return None;
        }
        // In tests that publish at every poll, fibers are also preempted often.
        let is_early = (*worker).options().publish && (*worker).ready.is_early();
        if now & ASKED == 0 && !is_early && !(*worker).ready.time_is_over() {
            return None;
        }
        let closure = Value((*worker).world().on_preempt.load(Ordering::Relaxed));
        // Relaxed: no other thread acts on these flags until the new thread has the strand's object.
        flags(object).fetch_and(!(PREEMPTIBLE | ASKED), Ordering::Relaxed);
        flags(object).fetch_or(PREEMPTED, Ordering::Relaxed);
        (*(*worker).strand).has_waited = true;
        let handler = spawn(worker, closure);
        choices::store(worker, handler, GIVEN, (*(*worker).strand).object);
        Some(wait(worker))
    }
}

/// Makes the running strand, which was preempted, wait until it should continue.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. The strand must be a fiber.
unsafe fn wait(worker: *mut Worker) -> u64 {
    // SAFETY: `poll` has called this function. So this worker runs the strand, which is a fiber, and a thunk has noted the strand's frame.
    // `park` may collect: the object is read again in each round.
    unsafe {
        loop {
            let strand = (*worker).strand;
            // Acquire: pairs with the release in `go_on`.
            if flags((*strand).object).load(Ordering::Acquire) & PREEMPTED == 0 {
                return waited(worker);
            }
            if (*worker).world().threads.stuck.is_told(strand) {
                fatal("deadlock: a scheduler has dropped the program's own continuation");
            }
            // The strand may have a permit left from an earlier wait.
            if park(worker) == WAITS {
                return WAITS;
            }
        }
    }
}

/// Makes the running strand continue after [`wait`]. The poll in which the strand has waited does not preempt the strand again, so two
/// vprocs that interrupt each other make progress.
///
/// # Safety
/// A thunk must have called this function, on the strand that the worker runs. The strand must be a fiber.
unsafe fn waited(worker: *mut Worker) -> u64 {
    // SAFETY: `worker` is this thread's own and runs the strand, which is a fiber and so has an object. Nothing is collected during this
    // call, so the object does not move.
    unsafe {
        let strand = (*worker).strand;
        (*strand).has_waited = false;
        // When the strand was preempted, it may have been about to park for another reason, and this wait may have taken the permit for
        // that park. With a new permit, the strand checks its condition again.
        let _ = permit((*strand).object).give();
        // Relaxed: a later request rings this worker's doorbell. While the strand was preempted, its polls did not leave cancelled parts,
        // so it must poll again.
        let is_asked = flags((*strand).object).load(Ordering::Relaxed) & ASKED != 0;
        if is_asked || (*strand).may_be_cancelled() {
            Worker::ring(worker);
        }
        POLLED
    }
}

/// Handles the end of a strand that computes a fork and may hold a vproc. To give the vproc back, a new thread takes over the strand's
/// object and calls the closure of [`on_preempt`].
///
/// # Safety
/// The worker must be the calling thread's own, and run no strand. No other thread may have the strand.
pub(crate) unsafe fn end_fork(worker: *mut Worker, strand: *mut Strand) {
    // SAFETY: `worker` is this thread's own. The strand is this thread's, and a fiber has an object, which no collection moves during this
    // call. The closure is old: `on_preempt` has promoted it.
    unsafe {
        if !(*strand).is_fiber || (*strand).job.is_none() {
            return;
        }
        let flags = flags((*strand).object);
        // AcqRel: pairs with `go_on`, which finds `GONE` if this operation finds `PREEMPTED`.
        if flags.fetch_or(GONE, Ordering::AcqRel) & PREEMPTED != 0 {
            return;
        }
        // Relaxed: no thread calls `go_on` for this strand any more.
        flags.fetch_and(!(GONE | PREEMPTIBLE | ASKED), Ordering::Relaxed);
        let closure = Value((*worker).world().on_preempt.load(Ordering::Relaxed));
        // A program without vprocs has no such closure, and no vproc to give back.
        if !closure.is_immediate() {
            succeed(worker, strand, closure);
        }
    }
}

/// `rt.Thread.goOn`: makes a preempted thread continue. `preemptible` says whether the thread may be preempted again. Returns 1 if the
/// thread has ended because it was cancelled.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `thread` must be the object of a thread that was preempted and has not
/// continued since.
pub unsafe extern "C" fn go_on(worker: *mut Worker, thread: Value, preemptible: usize) -> usize {
    // SAFETY: `worker` is this thread's own, and nothing is collected during this call, so the object `thread` stays where it is. The flags
    // are atomic.
    unsafe {
        if preemptible != 0 {
            flags(thread).fetch_or(PREEMPTIBLE, Ordering::Relaxed);
        }
        // AcqRel: Release pairs with the acquire in `poll` and `wait`, so the thread sees what the caller has written; Acquire pairs with
        // `end_fork`.
        let before = flags(thread).fetch_and(!PREEMPTED, Ordering::AcqRel);
        if before & GONE != 0 {
            return 1;
        }
        unpark(worker, thread);
        0
    }
}

/// `rt.Thread.preemptible`: sets whether polls preempt the running strand.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk.
pub unsafe extern "C" fn preemptible(worker: *mut Worker, is: usize) {
    // SAFETY: `worker` is this thread's own and runs the strand, and the thunk has noted its frame, so that `object_of` may collect.
    // Nothing else in this function collects, so `object` stays right.
    unsafe {
        let strand = (*worker).strand;
        let object = object_of(worker, strand);
        (*strand).is_fiber = true;
        if is == 0 {
            // Relaxed: only the strand itself changes this flag while it runs.
            flags(object).fetch_and(!PREEMPTIBLE, Ordering::Relaxed);
            return;
        }
        // Relaxed: only the strand itself changes this flag while it runs. A later request rings the worker's doorbell.
        if flags(object).fetch_or(PREEMPTIBLE, Ordering::Relaxed) & ASKED != 0 {
            Worker::ring(worker);
        }
    }
}

/// `rt.Thread.preempt`: preempts a thread at its next poll that allows preemption.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk. `thread` must be the object of a thread.
pub unsafe extern "C" fn preempt(worker: *mut Worker, thread: Value) {
    // SAFETY: `thread` is the object of a thread, and nothing is collected during this call; the flags are atomic. `worker` is this
    // thread's own.
    unsafe {
        // Release: pairs with the acquire in `poll`; the ring of the doorbell is in between.
        flags(thread).fetch_or(ASKED, Ordering::Release);
        (*worker).world().ring_all();
    }
}

/// `rt.Thread.end`: ends the running strand at this point, if it is a thread of the program.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk. No Rust frame between that code and this function may
/// have anything to drop.
pub unsafe extern "C" fn end(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, through a thunk. The frame of this function is the only frame
    // in between, and has nothing to drop.
    unsafe {
        let strand = (*worker).strand;
        if (*strand).thread {
            (*strand).unmask((*worker).world(), true);
            (*worker).abandon();
        }
    }
}

/// `rt.Thread.program`: returns the number of the running program. No other program of the world has the same number.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn program(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own and keeps its world; the number is an atomic.
    unsafe { (*worker).world().threads.program() as usize }
}

/// `rt.Thread.onPreempt`: registers a closure (`unit -> unit`). Whenever a fiber is preempted, a new thread gets the fiber's object and
/// calls the closure.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk. `closure` must be a closure of that type, of a program
/// that stays attached.
pub unsafe extern "C" fn on_preempt(worker: *mut Worker, closure: Value) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, and the thunk has noted its frame, so that `promote` may
    // collect. The result is old, and the word that keeps it is among the roots.
    unsafe {
        let closure = promote::promote(worker, closure);
        // Relaxed: fibers are made after this call, and a thread that runs a fiber has synchronised with the thread that made it. The
        // collector stops all workers before it reads.
        (*worker)
            .world()
            .on_preempt
            .store(closure.0, Ordering::Relaxed);
    }
}
