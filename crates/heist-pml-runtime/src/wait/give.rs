//! Gives ready strands of a worker to other workers: see `state/ready.rs`.

use crate::collect::promote;
use crate::state::ready::{GIFT, open_inbox};
use crate::state::worker::Worker;

/// Gives half of the ready strands, but at most [`GIFT`] strands, to other workers. Returns false if no strand is ready.
///
/// # Safety
/// The worker must be the calling thread's own. If the worker runs a strand, the strand must have noted its newest frame, and all live
/// values must be in slots of frames or in handles, because young objects may move.
pub unsafe fn give(worker: *mut Worker) -> bool {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so `give_some` may collect.
    unsafe {
        open_inbox(worker);
        let count = (*worker).ready.queue.len().div_ceil(2).min(GIFT);
        give_some(worker, count)
    }
}

/// Gives all ready strands to other workers. A worker does so before a system call that may block, and when it is the turn of the pool's
/// queued jobs.
///
/// # Safety
/// The worker must be the calling thread's own. If the worker runs a strand, the strand must have noted its newest frame. Young objects may
/// move.
pub unsafe fn give_all(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own, and its strand, if there is one, has noted its newest frame, so the collection finds all
    // roots.
    unsafe {
        open_inbox(worker);
        clear_young(worker);
        let count = (*worker).ready.queue.len();
        give_some(worker, count);
    }
}

/// Gives the first `count` ready strands to other workers. Returns false if `count` is 0.
///
/// # Safety
/// The worker must be the calling thread's own. If the worker runs a strand, the strand must have noted its newest frame. Young objects may
/// move.
unsafe fn give_some(worker: *mut Worker, count: usize) -> bool {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame, so it may collect. Strands in its queue are in no
    // other list, and have no home after `clear_young`.
    unsafe {
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            return false;
        };
        if count == 0 {
            return false;
        }
        clear_young(worker);
        let mut given: Vec<_> = (*worker).ready.queue.drain(..count).collect();
        given.retain(|strand| {
            // The flag is read first, because another worker may have the strand once it is injected.
            let is_urgent = (**strand).urgent;
            if is_urgent {
                pool.inject_urgent(*strand);
            }
            !is_urgent
        });
        pool.inject_turns(given.into_iter());
        true
    }
}

/// Collects if strands refer to young objects. After this call, any worker may run these strands.
///
/// # Safety
/// The worker must be the calling thread's own. If the worker runs a strand, the strand must have noted its newest frame. Young objects may
/// move.
pub unsafe fn clear_young(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own, and its strand, if there is one, has noted its newest frame, so the collection finds all
    // roots.
    unsafe {
        if (*worker).ready.has_young() {
            promote::promote_all(worker, (*worker).strand, &mut []);
        }
    }
}
