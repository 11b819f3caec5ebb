//! The queue of work that only a worker with nothing on its stack may take: jobs from outside,
//! detached spawns, spawns onto a scope from somewhere else, frames claimed a moment too late.

use super::carrier::{Carrier, Context};
use crate::task::Header;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A piece of work that has been taken out of wherever it stood.
#[derive(Debug)]
pub(crate) enum Job {
    /// A task or an outside frame: running it is all there is to do.
    Run(*mut Header),
    /// A claimed fork: its record must be kept, on the carrier it was claimed from.
    Claimed {
        /// Whose frame it is.
        victim: *const Carrier,
        /// The slot it was claimed at.
        index: u32,
        /// The frame.
        frame: *mut Header,
    },
}

// SAFETY: a job is the sole right to run something that is `Send` by the bounds of the public
// functions; the pointed-to things live until it has run.
unsafe impl Send for Job {}

#[derive(Debug)]
struct Queued {
    /// The scope that may take it back; [`Context::NONE`] if none may.
    of: Context,
    job: Job,
}

// SAFETY: the job can be sent, and the context is an address that is only compared.
unsafe impl Send for Queued {}

/// How much room an empty queue keeps.
const KEPT: usize = 1024;

/// A FIFO queue with a length that can be read without its lock.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    queue: Mutex<VecDeque<Queued>>,
    len: AtomicUsize,
}

impl Injector {
    pub(crate) fn push(&self, job: Job) {
        self.push_of(Context::NONE, job);
    }

    /// Queues a job of that scope.
    pub(crate) fn push_of(&self, of: Context, job: Job) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push_back(Queued { of, job });
        // SeqCst: against a worker that counts itself asleep and then reads this.
        self.len.store(queue.len(), Ordering::SeqCst);
    }

    pub(crate) fn pop(&self) -> Option<Job> {
        self.pop_by(VecDeque::pop_front)
    }

    /// The oldest job, or the newest, if it is of that scope.
    pub(crate) fn pop_of(&self, of: Context) -> Option<Job> {
        let is_its = |at: Option<&Queued>| at.is_some_and(|queued| queued.of == of);
        self.pop_by(|queue| {
            if is_its(queue.front()) {
                queue.pop_front()
            } else if is_its(queue.back()) {
                queue.pop_back()
            } else {
                None
            }
        })
    }

    fn pop_by(&self, take: impl FnOnce(&mut VecDeque<Queued>) -> Option<Queued>) -> Option<Job> {
        if self.is_empty() {
            return None;
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let job = take(&mut queue);
        if queue.is_empty() && queue.capacity() > KEPT {
            // What a burst has taken is given back: those who were in it may wait for long.
            *queue = VecDeque::new();
        }
        self.len.store(queue.len(), Ordering::SeqCst);
        Some(job?.job)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::SeqCst) == 0
    }
}
