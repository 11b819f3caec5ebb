//! Queues of jobs that run in the order in which they came, in addition to deques whose owners run the newest job first.

use heist::embed::Job;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A queue. It is its own *ticket*: a job that, each time it runs, runs the oldest of the queue. So its jobs are in a
/// deque among others, at the places where they were spawned, in their own order.
#[repr(C)]
pub(crate) struct Fifo {
    ticket: Job,
    jobs: Mutex<VecDeque<*mut Job>>,
}

// SAFETY: what stands in it was given away by the thread that pushed it (contract of `push`), to be run anywhere.
unsafe impl Sync for Fifo {}
// SAFETY: as above.
unsafe impl Send for Fifo {}

impl Fifo {
    pub(crate) fn new() -> Self {
        Fifo {
            ticket: Job::new(Self::redeem),
            jobs: Mutex::default(),
        }
    }

    /// Queues a job and gives a ticket, which must be run once, before the queue is dropped.
    ///
    /// # Safety
    /// The job is the caller's to give away, and stays in place until it has run, once.
    pub(crate) unsafe fn push(&self, job: *mut Job) -> *mut Job {
        self.jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(job);
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn redeem(this: *mut Job) {
        // SAFETY: the pointer is to the whole queue (`push`), which outlives its tickets.
        let this = unsafe { &*this.cast::<Self>() };
        let job = this
            .jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        // SAFETY: taken out, so this thread alone has it.
        unsafe { Job::execute(job.expect("there is a job for each ticket")) };
    }
}
