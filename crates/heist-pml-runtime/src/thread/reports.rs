//! Reports on threads: the exceptions that end threads, and the objects for which threads wait in a deadlock.

use crate::exception::{raise, spots, trail};
use crate::state::worker::Worker;
use crate::value::made::Made;
use crate::value::object::Value;

/// `rt.Thread.here`: returns the name of an object that the running code makes. The name consists of the number of the object's kind, and
/// the spots of the running code and of its caller. A report shows the object under this name.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn here(worker: *mut Worker, kind: i64) -> i64 {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame.
    let addresses: [usize; 2] = unsafe { spots::newest(worker) };
    // SAFETY: `worker` is this thread's own; nothing changes the table of frames while it runs.
    let frames = unsafe { (*worker).frames() };
    let [inner, outer] = addresses.map(|address| frames.spot(address).unwrap_or(0));
    Made::new(kind, outer, inner).number()
}

/// `rt.Thread.waitsFor`: notes that the strand will wait for the object with this name (as `here` returns it). If the number is negative,
/// the strand waits for several objects, and the number is the negative of the first object's name.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn waits_for(worker: *mut Worker, made: i64) {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, so no other thread writes to it.
    unsafe { (*(*worker).strand).waits_for = made };
}

/// Returns 1 if there is a report for the running strand that no strand can continue, otherwise 0.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function.
pub unsafe extern "C" fn is_stuck(worker: *mut Worker) -> usize {
    // SAFETY: `worker` is this thread's own, and runs the strand whose address is compared. Nothing is read through that address.
    unsafe { usize::from((*worker).world().threads.stuck.is_told((*worker).strand)) }
}

/// Reports that an exception has ended the thread with this number. `origin` is the exception's origin (see `trail`).
///
/// # Safety
/// Only compiled code that `worker` runs may call this function. `exn` must be an exception.
pub unsafe extern "C" fn uncaught(worker: *mut Worker, exn: Value, origin: usize, number: i64) {
    // SAFETY: `worker` is this thread's own and keeps its world. `exn` is an exception, and nothing is collected during this call.
    let (name, trail) = unsafe {
        (
            raise::describe(exn),
            trail::describe((*worker).world(), origin),
        )
    };
    raise::report(&name, &format!(" in thread {number}"), &trail);
}

/// Returns the report that no strand could continue, as a string, and deletes the stored report. Returns an empty string if there is no
/// report.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, through a thunk that has noted its frame.
pub unsafe extern "C" fn stuck(worker: *mut Worker) -> Value {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that the allocation of the string may collect.
    unsafe {
        let world = (*worker).shared_world();
        let text = world.threads.stuck.take().unwrap_or_default();
        (*worker).string(text.as_bytes())
    }
}
