//! Collections at which a program ends if the heap has reached its limit.

use crate::collect::major;
use crate::state::worker::Worker;

/// Collects the worker's young generation. Collects all generations if `all` is set or if a major collection is due. If the heap is still
/// over its limit, ends the program or the process, as `Worker::exhausted` does.
///
/// # Safety
/// The worker must be the calling thread's own. The worker must count as running, unless it belongs to no running program. If the worker
/// runs a strand, the strand must have noted its newest frame. No reference to the worker or to a young object may be in use.
pub unsafe fn collect(worker: *mut Worker, all: bool) {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame. No reference to the worker or to a young object is
    // in use.
    unsafe {
        if major::collect(worker, all) {
            (*worker).exhausted();
        }
    }
}

/// Collects all generations before a program ends the process, if there is a heap profile. So the last snapshot of the profile has only
/// live objects.
///
/// # Safety
/// The worker must be the calling thread's own, and count as running. The worker's strand must have noted its newest frame. No reference to
/// the worker or to a young object may be in use.
pub unsafe fn collect_last(worker: *mut Worker) {
    // SAFETY: the worker is this thread's own and running, its strand has noted its newest frame, and no reference to the worker or to a
    // young object is in use.
    unsafe {
        if (*worker).world().heap_profile.is_some() {
            collect(worker, true);
        }
    }
}
