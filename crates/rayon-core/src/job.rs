//! Jobs that own what they need until they have run.

use crate::unwind;
use heist::embed::Job;
use std::sync::Arc;

/// A job that runs `work` once, and frees itself. Whoever runs it must do so before what `work` borrows is gone.
#[inline]
pub(crate) fn boxed<F: FnOnce() + Send>(work: F) -> *mut Job {
    heist::embed::job(move || unwind::or_abort(work))
}

/// A closure that runs once on each worker.
#[repr(C)]
pub(crate) struct Shared<F> {
    job: Job,
    work: F,
}

impl<F: Fn(usize) + Send + Sync> Shared<F> {
    pub(crate) fn new(work: F) -> Arc<Self> {
        Arc::new(Shared {
            job: Job::new(Self::execute),
            work,
        })
    }

    /// The job for one worker.
    pub(crate) fn job(self: &Arc<Self>) -> *mut Job {
        Arc::into_raw(Arc::clone(self)).cast_mut().cast()
    }

    unsafe fn execute(this: *mut Job) {
        // SAFETY: the reference that `job` leaked, taken back once.
        let this = unsafe { Arc::from_raw(this.cast_const().cast::<Self>()) };
        unwind::or_abort(move || {
            let here = crate::registry::here();
            (this.work)(here.expect("broadcasts run on workers").index);
        });
    }
}
