//! The thread that waits at the end of a scope.

use crate::worker::WorkerThread;
use std::mem::ManuallyDrop;
use std::task::Waker;
use std::thread::Thread;

/// The opener of a scope, which waits for its tasks.
#[derive(Debug)]
pub(super) enum Home {
    /// A worker of the scope's pool.
    Worker(*const WorkerThread),
    /// Another thread.
    Thread(Thread),
    /// A fiber, which moves from thread to thread: the scope is *afloat*. The waker, with its reference to the
    /// fiber's task, belongs to the thread that counts the last task out, or to the fiber if it does that itself.
    Fiber(ManuallyDrop<Waker>),
}

impl Home {
    /// A copy of the parts that are needed to wake it, for use when the scope may be gone.
    pub(super) fn copy(&self) -> Home {
        match self {
            Home::Worker(worker) => Home::Worker(*worker),
            Home::Thread(thread) => Home::Thread(thread.clone()),
            // SAFETY: a copy of the bits, which is dropped without the waker's knowing, and used by `wake`
            // at most.
            Home::Fiber(waker) => Home::Fiber(unsafe { std::ptr::read(waker) }),
        }
    }

    /// Tells the waiter that all tasks are counted out.
    ///
    /// # Safety
    /// The caller has counted the last task out, and calls this once. It belongs to the scope's pool.
    pub(super) unsafe fn wake(self) {
        match self {
            // SAFETY: workers live as long as their pool, which this thread belongs to.
            Home::Worker(worker) => unsafe { (*worker).thread.unpark() },
            Home::Thread(thread) => thread.unpark(),
            Home::Fiber(waker) => ManuallyDrop::into_inner(waker).wake(),
        }
    }
}
