//! Queues of tasks outside the deques: a worker that runs a *ticket* runs the oldest task of the ticket's queue.

use crate::task::Header;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A queue of tasks of one scope.
#[derive(Debug, Default)]
struct Tasks(Mutex<VecDeque<*mut Header>>);

impl Tasks {
    fn push(&self, task: *mut Header) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(task);
    }

    fn pop(&self) -> Option<*mut Header> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }

    /// Runs the oldest task, if there is one.
    ///
    /// # Safety
    /// The tasks in the queue must be live, and must be in no other queue.
    unsafe fn run(&self) {
        if let Some(task) = self.pop() {
            // SAFETY: the task was taken from the queue, and is in no other queue by contract, so
            // only this thread has it.
            unsafe { Header::execute(task) };
        }
    }
}

/// The queue of a FIFO scope. Each task has a ticket, and a task leaves the queue only when a
/// worker runs a ticket. The scope contains the queue. So when the scope has waited for all tasks,
/// no ticket is left.
#[repr(C)]
#[derive(Debug)]
pub(super) struct InOrder {
    header: Header,
    tasks: Tasks,
}

impl InOrder {
    pub(super) fn new() -> Self {
        InOrder {
            header: Header::new(Self::redeem),
            tasks: Tasks::default(),
        }
    }

    /// Queues a task and returns a ticket for it.
    pub(super) fn push(&self, task: *mut Header) -> *mut Header {
        self.tasks.push(task);
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn redeem(this: *mut Header) {
        // SAFETY: the pointer is to the whole queue (`push`). Its scope waits for the task, so the queue is live.
        unsafe { (*this.cast::<Self>()).tasks.run() };
    }
}
