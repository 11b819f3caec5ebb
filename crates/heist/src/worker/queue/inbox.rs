//! The broadcast jobs of each slot. The worker that holds a slot runs the slot's jobs.

use crate::worker::queue::job::Job;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The waiting broadcast jobs, in one queue for each slot.
#[derive(Debug)]
pub(in crate::worker) struct Inboxes {
    queues: Box<[Mutex<VecDeque<Job>>]>,
    /// Number of waiting jobs in all queues together. During a push or pop, the number may be too high, but it is never too low.
    jobs: AtomicU32,
}

impl Inboxes {
    pub(in crate::worker) fn new(slots: usize) -> Self {
        Inboxes {
            queues: (0..slots).map(|_| Mutex::default()).collect(),
            jobs: AtomicU32::new(0),
        }
    }

    /// Returns the queue of `slot`.
    fn queue(&self, slot: u32) -> MutexGuard<'_, VecDeque<Job>> {
        self.queues[slot as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::worker) fn push(&self, slot: u32, job: Job) {
        // SeqCst orders this addition against a worker that counts itself asleep and then reads the length.
        self.jobs.fetch_add(1, Ordering::SeqCst);
        self.queue(slot).push_back(job);
    }

    pub(in crate::worker) fn pop(&self, slot: u32) -> Option<Job> {
        let job = self.queue(slot).pop_front()?;
        self.jobs.fetch_sub(1, Ordering::SeqCst);
        Some(job)
    }

    pub(in crate::worker) fn is_empty(&self) -> bool {
        self.jobs.load(Ordering::SeqCst) == 0
    }

    pub(in crate::worker) fn has(&self, slot: u32) -> bool {
        !self.is_empty() && !self.queue(slot).is_empty()
    }
}
