//! Frames that a thread waits for beside the deques: jobs from outside, broadcasts.

use crate::task::{Header, Payload};
use crate::trace::EventKind;
use crate::waiting::{Reason, Until, wait_outside};
use crate::worker::hot;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Time that a thread outside looks before it sleeps: about what a worker takes to wake up and run
/// a short job, so that short jobs spare the second wake-up. It lets others have its processor
/// at each look: the worker that it woke is often put there.
const OUTSIDE_PATIENCE: Duration = Duration::from_micros(20);

/// Counts down to 0, for the thread that made it.
#[derive(Debug)]
pub(crate) struct Latch {
    left: AtomicUsize,
    waiter: Thread,
}

impl Latch {
    /// A latch that opens at the `count`-th count.
    pub(crate) fn new(count: usize) -> Self {
        Latch {
            left: AtomicUsize::new(count),
            waiter: thread::current(),
        }
    }

    /// Counts one down, as the last touch of the latch.
    ///
    /// # Safety
    /// The latch is live until the count that opens it.
    unsafe fn count_down(this: *const Self) {
        // Through the raw pointer, field by field: the waiter may free the latch while this
        // function has not returned yet, so it must not hold a reference to the whole.
        // SAFETY: live by contract; the clone comes first because the latch may be gone later.
        let (waiter, left) = unsafe {
            let waiter = (*this).waiter.clone();
            // Release pairs with `is_open`, through later counts too.
            (waiter, (*this).left.fetch_sub(1, Ordering::Release))
        };
        if left == 1 {
            waiter.unpark();
        }
    }

    fn is_open(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// Waits, on the thread that made it. A worker gives its slot away meanwhile.
    pub(crate) fn wait(&self) {
        if let Some(carrier) = hot().carrier() {
            carrier.wait_until(&Until(Reason::Job, || self.is_open()));
            return;
        }
        let since = Instant::now();
        while !self.is_open() {
            if since.elapsed() < OUTSIDE_PATIENCE {
                thread::yield_now();
            } else {
                wait_outside(&Until(Reason::Job, || self.is_open()));
            }
        }
    }
}

/// A closure, its result, and the latch that is counted down when it is done.
#[repr(C)]
pub(crate) struct LatchedFrame<F, R> {
    header: Header,
    work: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
    latch: *const Latch,
}

impl<F, R> LatchedFrame<F, R>
where
    F: FnOnce() -> R,
{
    /// A frame for [`header`](Self::header) to be run. Both it and the latch must stay in place
    /// until the latch is open.
    pub(crate) fn new(work: F, latch: &Latch) -> Self {
        LatchedFrame {
            header: Header::new(Self::execute),
            work: UnsafeCell::new(Some(work)),
            result: UnsafeCell::new(None),
            latch,
        }
    }

    pub(crate) fn header(&self) -> *mut Header {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn execute(this: *mut Header) {
        let this = this.cast::<Self>();
        if let Some(carrier) = hot().carrier() {
            carrier.trace(EventKind::JobBegins);
        }
        // SAFETY: the executor has the frame to itself until the latch opens, and the waiter keeps
        // both in place until then (contract of `Header::execute`).
        unsafe {
            if let Some(work) = (*(*this).work.get()).take() {
                *(*this).result.get() = Some(catch_unwind(AssertUnwindSafe(work)));
            }
            // Not the one from before the closure: after fork() this thread is no worker.
            if let Some(carrier) = hot().carrier() {
                // First: the waiter may stop the trace.
                carrier.trace(EventKind::JobEnds);
            }
            Latch::count_down((*this).latch);
        }
    }

    /// The result, once the latch is open.
    pub(crate) fn into_result(self) -> Option<Result<R, Payload>> {
        self.result.into_inner()
    }
}
