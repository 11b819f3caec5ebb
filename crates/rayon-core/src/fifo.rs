//! Queues of jobs that run in the order in which they were queued. These queues are necessary, because the owner of a
//! deque runs the newest job first.

use heist::embed::Job;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A queue of jobs. The queue itself serves as a *ticket*: a job that runs the oldest job of the queue. A deque contains the ticket once
/// for each job in the queue. So the jobs run in the order of their spawns.
#[repr(C)]
pub(crate) struct Fifo {
    ticket: Job,
    jobs: Mutex<VecDeque<*mut Job>>,
}

// SAFETY: by the contract of `push`, any thread may run the jobs in the queue.
unsafe impl Sync for Fifo {}
// SAFETY: by the contract of `push`, any thread may run the jobs in the queue.
unsafe impl Send for Fifo {}

impl Fifo {
    pub(crate) fn new() -> Self {
        Fifo {
            ticket: Job::new(Self::redeem),
            jobs: Mutex::default(),
        }
    }

    /// Queues a job and returns a ticket. The caller must make sure that the ticket runs once, before the queue is
    /// dropped.
    ///
    /// # Safety
    /// The caller must own the job, and must keep the job in place until it has run. No other code
    /// may run the job.
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
        // SAFETY: this thread has taken the job out of the queue, so only this thread runs it.
        unsafe { Job::execute(job.expect("there is a job for each ticket")) };
    }
}
