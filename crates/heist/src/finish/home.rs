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
    /// A fiber, which moves from thread to thread: the scope is *afloat*. The waker holds a reference to the
    /// fiber's task. It belongs to the thread that counts the last task out, which may be the fiber itself.
    Fiber(ManuallyDrop<Waker>),
}

impl Home {
    /// Copies the parts that are needed to wake the home, for use when the scope may be gone.
    pub(super) fn copy(&self) -> Home {
        match self {
            Home::Worker(worker) => Home::Worker(*worker),
            Home::Thread(thread) => Home::Thread(thread.clone()),
            // SAFETY: a copy of the bits. Dropping it does not drop the waker, and at most one `wake`
            // consumes it.
            Home::Fiber(waker) => Home::Fiber(unsafe { std::ptr::read(waker) }),
        }
    }

    /// Reports to the waiter that all tasks are counted out.
    ///
    /// # Safety
    /// The calling thread has counted the last task out, calls this once, and belongs to the scope's pool.
    pub(super) unsafe fn wake(self) {
        match self {
            // SAFETY: workers live as long as their pool, which this thread belongs to.
            Home::Worker(worker) => unsafe { (*worker).thread.unpark() },
            Home::Thread(thread) => thread.unpark(),
            Home::Fiber(waker) => ManuallyDrop::into_inner(waker).wake(),
        }
    }
}
