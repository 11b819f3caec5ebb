//! Raises exceptions: a raise walks from the newest frame to older frames, up to the first call with a handler. Handlers cost nothing in
//! code that raises no exception.

use std::io::Write;

use crate::exception::trail::{self, Before};
use crate::fork::{cancel, scopes, tasks};
use crate::process::ends::fatal;
use crate::state::strand::Strand;
use crate::state::switch::{leave, resume};
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::value::object::Value;
use crate::value::show;
use crate::wait::lazy;

/// Raises an exception from the frame that the worker has noted.
///
/// # Safety
/// Only a thunk of the program that the worker runs may call this function.
pub unsafe extern "C" fn raise(worker: *mut Worker, exn: Value) -> ! {
    // SAFETY: a thunk of the program that this thread's worker runs has called this function. This frame has nothing to drop. Frames
    // between this function and the handler belong to compiled code, and own nothing. The references to the strand and to the table are not
    // used once code runs again.
    unsafe {
        let strand = &*(*worker).strand;
        let is_plain = exn.0 != Value::immediate(0).0
            && strand.entries.is_empty()
            && !strand.may_be_cancelled();
        // The usual case needs only a walk over frames. `begin` handles all other cases.
        if is_plain
            && !(*worker).has_clones()
            && let Some((fp, site, origin)) = (*worker).frames().handler((*worker).frame)
        {
            (*worker).pending = Value(0);
            (*worker).handles.clear();
            (*worker).raised = origin;
            resume(fp - site.frame as usize, fp, site.handler, exn.0, worker);
        }
        begin(worker, exn, Before::Nothing)
    }
}

/// Leaves a cancelled part of the strand if there is one. If there is no cancelled part, continues at a handler of the exception.
///
/// # Safety
/// A thunk of the program that the worker runs must have called this function. No frame between the thunk and this function may have
/// anything to drop.
// A separate function, so that `raise` stays short.
#[inline(never)]
unsafe fn begin(worker: *mut Worker, exn: Value, before: Before) -> ! {
    // SAFETY: `worker` is this thread's own and runs the strand that called, through a thunk that has noted its frame. The reference to the
    // strand is not used once `unwind` or `handle` has been called. No frame in between has anything to drop.
    unsafe {
        let strand = &mut *(*worker).strand;
        // The value 0 is not an exception: a join passes 0 if the thief has abandoned the fork. Then the strand looks for its cancelled
        // part immediately, because the count of cancellations may rise only a moment later.
        let has_left = exn.0 == Value::immediate(0).0;
        if (has_left || strand.may_be_cancelled())
            && let Some(frame) = strand.cancelled_above()
        {
            unwind(worker, frame);
        }
        handle(worker, exn, None, before)
    }
}

/// Re-raises an exception that a handler has caught. `origin` is the exception's origin (see `trail`).
///
/// # Safety
/// Only a thunk of the program that the worker runs may call this function.
pub unsafe extern "C" fn again(worker: *mut Worker, exn: Value, origin: usize) -> ! {
    // SAFETY: a thunk of the program that this thread's worker runs has called this function, whose frame has nothing to drop.
    unsafe { begin(worker, exn, Before::Handled(origin)) }
}

/// Raises the exception of a fork's right side. `receive` (`poll/join.rs`) has noted the exception's origin.
///
/// # Safety
/// Only a thunk of the program that the worker runs may call this function.
pub unsafe extern "C" fn joined(worker: *mut Worker, exn: Value) -> ! {
    // SAFETY: a thunk of the program that this thread's worker runs has called this function. This frame has nothing to drop. `receive` has
    // run on the same worker since the last poll, so `raised` is the origin of this exception.
    unsafe { begin(worker, exn, Before::Joined((*worker).raised)) }
}

/// Abandons all frames above `frame`, without calling their handlers, and continues at the handler of the call in `frame`.
///
/// # Safety
/// A thunk of the program that the worker runs must have called this function. No frame between the thunk and this function may have
/// anything to drop. `frame` must be the pointer of a frame of the running strand whose call has a handler, and no mask may be above that
/// frame.
pub unsafe fn unwind(worker: *mut Worker, frame: usize) -> ! {
    // SAFETY: `worker` is this thread's own and runs the strand that called, through a thunk that has noted its frame. The frame was found
    // among its scopes and races, so it has not returned, and its call has a handler.
    unsafe {
        // The doorbell stays rung, because the worker may not have checked for all kinds of requests. The next poll checks for them.
        let strand = (*worker).strand;
        lazy::abandon_above(worker, strand, frame);
        scopes::leave_above(&(*worker).shared_world(), &mut *strand, frame);
        if (*strand).object.0 != 0 {
            let threads = &(*worker).world().threads;
            threads.watches.forget((*strand).object);
            threads.clock.forget(&mut (*strand).alarms);
        }
        (*strand).unwound = true;
        handle(worker, Value::immediate(0), Some(frame), Before::Nothing)
    }
}

/// Continues at the first handler that the walk finds, or at the handler of the frame `target`. If the exception was raised before,
/// `before` has its origin.
///
/// # Safety
/// The worker must be the calling thread's own, and run the calling strand. A thunk must have made the call, and have noted the strand's
/// newest frame. No frame between the thunk and this function may have anything to drop. If `target` is given, it must be a frame of the
/// strand, and the frame's call must have a handler.
unsafe fn handle(worker: *mut Worker, exn: Value, target: Option<usize>, before: Before) -> ! {
    // SAFETY: frames between here and the handler are compiled ones, which own nothing.
    unsafe {
        (*worker).pending = Value(0);
        (*worker).handles.clear();
        let strand = &mut *(*worker).strand;
        let clones = (*worker).has_clones();
        let begins = || Walk::new((*worker).frame, strand.marks()).next();
        (*worker).raised = match before {
            Before::Nothing => begins().map_or(0, |frame| frame.address),
            Before::Handled(origin) | Before::Joined(origin) => origin,
        };
        let mut walk = Walk::new((*worker).frame, strand.marks());
        while let Some(frame) = walk.next() {
            let passed = target.is_some_and(|target| target != frame.pointer);
            let site = (*worker).frames().handling(frame.address);
            let site = site.filter(|_| !passed);
            if clones {
                let left = walk.marks_left();
                leave_tasks(worker, strand, frame.address, passed);
                // The old walk borrowed the marks, so a new walk continues here.
                walk = Walk::go_on(frame.pointer, &strand.marks()[..left]);
            }
            let published = strand.entries.last();
            if published.is_some_and(|entry| entry.frame == frame.pointer) && !clones {
                let kept = match site {
                    Some(site) if site.chain != 0 => {
                        (*worker).world().inner().forks.chain(site.chain).kept
                    }
                    _ => 0,
                };
                let left = walk.marks_left();
                cancel::cancel((*worker).world(), strand, frame.pointer, kept);
                // The old walk borrowed the marks, so a new walk continues here.
                walk = Walk::go_on(frame.pointer, &strand.marks()[..left]);
            }
            if let Some(site) = site {
                let left = walk.marks_left();
                let sp = frame.pointer - site.frame as usize;
                let (fp, pc) = (frame.pointer, site.handler);
                strand.keep_marks(left);
                // The return barrier may have been at a frame that the exception leaves, so the next poll puts a new barrier in place.
                if !strand.entries.is_empty() && !clones {
                    strand.armed = false;
                    Worker::ring(worker);
                }
                resume(sp, fp, pc, exn.0, worker);
            }
        }
        if target.is_some() {
            fatal("internal error: a cancelled part without its frame");
        }
        if exn.0 != Value::immediate(0).0 {
            (*worker).raised = trail::record(worker, before);
        }
        strand.keep_marks(0);
        (*worker).pending = exn;
        leave(worker)
    }
}

/// Forgets the forks whose left side contains a call but not the call's handler, because an exception leaves the call.
///
/// # Safety
/// The worker must be the calling thread's own, and run the strand. `address` must be a return address of the worker's programs.
unsafe fn leave_tasks(worker: *mut Worker, strand: &mut Strand, address: usize, passed: bool) {
    // SAFETY: `worker` is this thread's own and runs the strand, to which no other reference is in use. The exception leaves the newest
    // forks of the strand first, as `tasks::leave` needs.
    unsafe {
        let world = (*worker).shared_world();
        let inner = world.inner();
        if let Some(site) = inner.frames.site(address)
            && site.chain != 0
        {
            let chain = inner.forks.chain(site.chain);
            let handles = site.handler != 0 && !passed;
            let kept = if handles { chain.kept } else { 0 };
            tasks::leave(worker, strand, chain.forks.len() - kept);
        }
    }
}

/// Returns the name and payload of an exception, as the message for an unhandled exception shows them.
///
/// # Safety
/// `exn` must be an exception.
#[must_use]
pub unsafe fn describe(exn: Value) -> Vec<u8> {
    // SAFETY: `exn` is an exception, and nothing is collected before its text was written.
    let (mut text, payload) = unsafe { show::exception(exn) };
    if let Some(payload) = payload {
        text.extend_from_slice(b": ");
        text.extend_from_slice(payload.as_bytes());
    }
    text
}

/// Writes the report of an uncaught exception to standard error. `exception` is the text of [`describe`]. `whose` says which thread has
/// ended, and is empty for the program itself. `trail` has the lines with the places.
pub fn report(exception: &[u8], whose: &str, trail: &str) {
    let parts: [&[u8]; 5] = [
        b"uncaught exception ",
        exception,
        whose.as_bytes(),
        b"\n",
        trail.as_bytes(),
    ];
    // If standard error fails, no other stream can report it.
    let _ = std::io::stderr().write_all(&parts.concat());
}

impl Worker {
    /// Ends the running strand at its current place, because the strand was cancelled or its program was interrupted.
    ///
    /// # Safety
    /// Compiled code must have called this function through a thunk. No frame between the thunk and this function may have anything to
    /// drop.
    pub unsafe fn abandon(&mut self) -> ! {
        // The doorbell stays rung, because the worker may not have checked for all kinds of requests. The next strand's first poll checks
        // for them.
        self.handles.clear();
        if !self.strand.is_null() {
            // SAFETY: the worker is the calling thread's own and runs this strand, so no other thread uses it.
            unsafe {
                lazy::abandon(self, self.strand);
                (*self.strand).keep_marks(0);
            }
        }
        self.pending = Value(0);
        // SAFETY: the call came from compiled code through a thunk, so `enter` or `go_on` has noted where to return, and the Rust frames in
        // between have nothing to drop.
        unsafe { leave(self) }
    }
}
