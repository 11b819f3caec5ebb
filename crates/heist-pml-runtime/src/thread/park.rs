//! Functions with which the running strand waits for its permit or for its turn.

use std::sync::atomic::{Ordering, fence};

use crate::fork::publish;
use crate::poll::attend;
use crate::state::ready;
use crate::state::strand::{Strand, Wait};
use crate::state::switch::{POLLED, WAITS};
use crate::state::thread_object::{permit, strand_of};
use crate::state::worker::Worker;
use crate::thread::{fibers, inbox, object_of};
use crate::value::object::Value;
use crate::wait::parts::list;
use crate::wait::wake;

/// Makes the running strand wait for its permit. Returns [`WAITS`], or 1 if the strand has the permit.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn park(worker: *mut Worker) -> u64 {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that the polls in this function may collect.
    // `object` is not used after the first of them.
    unsafe {
        let strand = (*worker).strand;
        let object = object_of(worker, strand);
        if permit(object).take() {
            return 1;
        }
        if (*worker).bell.is_rung() {
            attend::attend(worker);
        }
        // Thieves cannot request work from a strand while it waits.
        if !(*worker).world().inner().forks.is_empty() {
            while publish::publish(worker) {}
        }
        if let Some(around) = list((*worker).world(), strand) {
            // SeqCst: pairs with the fence in `wake_cancelled`: either `wake_cancelled` gives the permit, or this strand sees the
            // cancellation.
            fence(Ordering::SeqCst);
            let cancelled = around.is_cancelled();
            drop(around);
            if cancelled {
                attend::attend(worker);
            }
        }
        (*strand).wait = Wait::Permit;
        WAITS
    }
}

/// Makes a saved strand wait. Returns false if the strand already has its permit. As soon as the strand waits, another thread may run it.
///
/// # Safety
/// No worker may run the strand, and no other thread may have it. The worker must be the calling thread's own.
pub(crate) unsafe fn suspend(worker: *mut Worker, strand: *mut Strand) -> bool {
    // SAFETY: the caller alone has the strand until `Permit::park` makes it visible to other threads. The strand got its object when it
    // called `park`. The calling worker counts as running, so nothing is collected and the object stays where it is.
    let waits = unsafe { permit((*strand).object).park() };
    if waits {
        // SAFETY: `worker` is this thread's own.
        unsafe { inbox(worker).note_parked(1) };
    }
    waits
}

/// Gives a thread its permit.
///
/// # Safety
/// Only compiled code that `worker` runs may call this function, and no safepoint may happen during the call. `thread` must be the object
/// of a thread.
pub unsafe extern "C" fn unpark(worker: *mut Worker, thread: Value) {
    // SAFETY: `worker` runs the strand that calls, so nothing is collected during this call, and `thread` is the object of a thread. Only
    // one `give` finds the strand parked, and then the caller of this `give` alone has the strand, until `wake` queues it.
    unsafe {
        if permit(thread).give() {
            inbox(worker).note_parked(-1);
            wake::wake(worker, strand_of(thread));
        }
    }
}

/// Makes the running strand yield to other strands. Returns [`WAITS`], or 1 if no other strand is ready.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn give_way(worker: *mut Worker) -> u64 {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that `attend` and `publish` may collect. No
    // address of an object is kept across them.
    unsafe {
        ready::open_inbox(worker);
        if (*worker).ready.is_empty() {
            // Relaxed: a hint.
            if (*worker).world().threads.queued.load(Ordering::Relaxed) == 0 {
                // Other workers may need the forks of this strand, because one of them may run the code for which this strand waits.
                attend::attend(worker);
                std::hint::spin_loop();
                return 1;
            }
            (*worker).ready.exhaust();
        }
        // In programs of clones, the worker's private deque must be empty before the worker runs another strand.
        if (*worker).has_clones() {
            while publish::publish(worker) {}
        }
        (*(*worker).strand).wait = Wait::Turn;
        WAITS
    }
}

/// Answers a poll. If the strand's time slice is over, lets other threads run, or preempts the strand. Returns [`POLLED`] if the strand
/// continues.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn poll(worker: *mut Worker) -> u64 {
    // SAFETY: `worker` runs the strand that calls, and the thunk has noted its frame, so that `attend` may collect. Strands are not moved,
    // so `strand` stays right.
    unsafe {
        attend::attend(worker);
        let strand = (*worker).strand;
        if (*strand).keeps_worker() {
            return POLLED;
        }
        // A fiber keeps its vproc during a transaction.
        if (*strand).is_fiber
            && !(*strand).is_masked()
            && let Some(answer) = fibers::poll(worker)
        {
            return answer;
        }
        let threads = &(*worker).world().threads;
        // In tests that publish at every poll, threads also take turns often.
        let is_early =
            (*worker).options().publish && threads.are_used() && (*worker).ready.is_early();
        let is_over = (*worker).ready.time_is_over() || is_early || threads.urgent.has_any();
        if is_over && give_way(worker) == WAITS {
            return WAITS;
        }
        POLLED
    }
}
