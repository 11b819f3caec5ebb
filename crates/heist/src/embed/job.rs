//! Jobs on the heap.

use super::Job;

/// Returns a job that runs `work` once, and frees itself. `work` must not unwind. The caller that
/// queues the job ensures that it runs before the borrows of `work` end.
///
/// The job's memory comes from the global allocator. (With a worker's own free blocks, trees of
/// jobs are faster by a sixth, and 100,000 jobs in a row slower by a third, because these blocks
/// are larger.)
pub fn job<F: FnOnce() + Send>(work: F) -> *mut Job {
    let this = Boxed {
        job: Job::new(execute::<F>),
        work,
    };
    Box::into_raw(Box::new(this)).cast()
}

#[repr(C)]
struct Boxed<F> {
    job: Job,
    work: F,
}

unsafe fn execute<F: FnOnce() + Send>(this: *mut Job) {
    // SAFETY: `job` made it for this type, and it runs once.
    let this = unsafe { *Box::from_raw(this.cast::<Boxed<F>>()) };
    (this.work)();
}
