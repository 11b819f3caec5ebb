//! Leaves work to other workers.

use crate::task::{Header, discard};
use crate::worker::local::local_now;
use crate::worker::thread::Context;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[repr(C)]
struct Delegated<F> {
    header: Header,
    work: F,
}

/// Leaves `work` to other workers, as a task in a deque of this worker. On a thread that is not a
/// worker, the function runs `work` immediately.
pub(crate) fn delegate(work: impl FnOnce() + Send + 'static) {
    let local = local_now();
    match local.worker() {
        Some(worker) => worker.push_next(local, boxed(work), || Context::NONE),
        None => work(),
    }
}

fn boxed<F: FnOnce() + Send + 'static>(work: F) -> *mut Header {
    unsafe fn execute<F: FnOnce()>(this: *mut Header) {
        // SAFETY: `boxed` made the header from a `Box`, and the header is executed only once, so
        // this call alone frees the box.
        let this = unsafe { Box::from_raw(this.cast::<Delegated<F>>()) };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(this.work)) {
            discard(payload);
        }
    }
    let this = Delegated {
        header: Header::new(execute::<F>),
        work,
    };
    Box::into_raw(Box::new(this)).cast()
}

/// Returns the current worker's index in its pool, if the thread is a worker that polls a suspending task. Otherwise returns `None`.
#[inline(never)]
pub(crate) fn polling_worker() -> Option<usize> {
    let local = local_now();
    let worker = local.worker().filter(|_| !local.polled.get().is_null());
    worker.map(|worker| worker.id.into())
}
