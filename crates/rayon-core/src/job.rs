//! Jobs that own their data until they have run.

use crate::unwind::{self, Payload};
use heist::embed::Job;
use std::sync::Arc;

/// Returns a job that runs `work` once, and frees itself. The caller must make sure that the job
/// runs before the borrows of `work` end.
#[inline]
pub(crate) fn boxed<F: FnOnce() + Send>(work: F) -> *mut Job {
    heist::embed::job(move || unwind::or_abort(work))
}

/// A closure that runs once on each worker, and a function that follows each run.
#[repr(C)]
pub(crate) struct Shared<F, G> {
    job: Job,
    work: F,
    /// The function that follows each run. When it runs, the closure and its borrows may have ended, so this function
    /// must not use them.
    after: G,
}

impl<F, G> Shared<F, G>
where
    F: Fn() + Send + Sync,
    G: Fn(Result<(), Payload>) + Copy + Send + Sync,
{
    pub(crate) fn new(work: F, after: G) -> Arc<Self> {
        Arc::new(Shared {
            job: Job::new(Self::execute),
            work,
            after,
        })
    }

    /// Returns the job for one worker.
    pub(crate) fn job(self: &Arc<Self>) -> *mut Job {
        Arc::into_raw(Arc::clone(self)).cast_mut().cast()
    }

    unsafe fn execute(this: *mut Job) {
        // SAFETY: this takes back the reference that `job` leaked, and each such job runs once.
        let this = unsafe { Arc::from_raw(this.cast_const().cast::<Self>()) };
        let after = this.after;
        // The last run drops the closure.
        let result = unwind::halt(move || (this.work)());
        unwind::or_abort(|| after(result));
    }
}
