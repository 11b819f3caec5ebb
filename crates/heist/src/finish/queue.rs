//! Queues of tasks beside the deques: whoever runs a *ticket* runs the oldest task of its queue.

use crate::task::Header;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Tasks of one scope.
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
    /// The tasks in the queue are live, and in no other.
    unsafe fn run(&self) {
        if let Some(task) = self.pop() {
            // SAFETY: taken from the queue, so this thread alone has it.
            unsafe { Header::execute(task) };
        }
    }
}

/// The queue of a FIFO scope. There is a ticket for each task, and nobody else takes tasks, so that
/// the scope, in which the queue lies, waits for every ticket too.
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

    /// Queues a task and gives a ticket for it.
    pub(super) fn push(&self, task: *mut Header) -> *mut Header {
        self.tasks.push(task);
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn redeem(this: *mut Header) {
        // SAFETY: the pointer is to the whole queue (`push`), whose scope waits for the task.
        unsafe { (*this.cast::<Self>()).tasks.run() };
    }
}

/// Tasks that were spawned where the scope was not the innermost to wait, and so went to the shared
/// queue as tickets. The scope's own thread takes them from here when it gets that far, so that it
/// need not block and be replaced; their tickets then find nothing, perhaps after the scope's end.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Overflow {
    header: Header,
    tasks: Tasks,
}

impl Overflow {
    pub(super) fn new() -> Arc<Self> {
        // Raw pointers in it are sent by tickets and guarded by the scope's count, as tasks in
        // deques are; the reference count is all that the `Arc` itself is for.
        #[allow(
            clippy::arc_with_non_send_sync,
            reason = "shared through raw pointers, see above"
        )]
        Arc::new(Overflow {
            header: Header::new(Self::redeem),
            tasks: Tasks::default(),
        })
    }

    /// Queues a task and gives a ticket for it.
    pub(super) fn push(self: &Arc<Self>, task: *mut Header) -> *mut Header {
        self.tasks.push(task);
        Arc::into_raw(Arc::clone(self)).cast_mut().cast()
    }

    /// Takes the oldest task that no ticket has come for yet.
    pub(super) fn pop(&self) -> Option<*mut Header> {
        self.tasks.pop()
    }

    unsafe fn redeem(this: *mut Header) {
        // SAFETY: the reference that `push` leaked, taken back once. Tasks in the queue are counted
        // in, so their scope waits for them.
        unsafe { Arc::from_raw(this.cast_const().cast::<Self>()).tasks.run() };
    }
}
