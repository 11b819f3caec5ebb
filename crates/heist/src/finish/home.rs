//! The home of a scope: the thread or fiber that waits at the scope's end.

use crate::worker::WorkerThread;
use std::mem::ManuallyDrop;
use std::task::Waker;
use std::thread::Thread;

/// The home of a scope: the thread or fiber that opened the scope, and waits for its tasks.
#[derive(Debug)]
pub(super) enum Home {
    /// A worker of the scope's pool.
    Worker(*const WorkerThread),
    /// A thread that is not a worker of the scope's pool.
    Thread(Thread),
    /// A fiber, which moves from thread to thread: the scope is *afloat*. The waker has a reference to the
    /// fiber's task. The waker belongs to the thread that counts out the last task, which may be the thread that runs
    /// the fiber.
    Fiber(ManuallyDrop<Waker>),
}

impl Home {
    /// Copies the parts that are needed to wake the home. The copy can be used even when the scope is
    /// gone.
    pub(super) fn copy(&self) -> Home {
        match self {
            Home::Worker(worker) => Home::Worker(*worker),
            Home::Thread(thread) => Home::Thread(thread.clone()),
            // SAFETY: this copies the bits of the waker. A drop of the copy does not drop the waker,
            // and at most one `wake` consumes it.
            Home::Fiber(waker) => Home::Fiber(unsafe { std::ptr::read(waker) }),
        }
    }

    /// Wakes the waiter, because all tasks are counted out.
    ///
    /// # Safety
    /// The calling thread must belong to the scope's pool, and must have counted out the last task. The calling thread must call this
    /// function only once.
    pub(super) unsafe fn wake(self) {
        match self {
            // SAFETY: workers live as long as their pool, and this thread belongs to that pool.
            Home::Worker(worker) => unsafe { (*worker).thread.unpark() },
            Home::Thread(thread) => thread.unpark(),
            Home::Fiber(waker) => ManuallyDrop::into_inner(waker).wake(),
        }
    }
}
