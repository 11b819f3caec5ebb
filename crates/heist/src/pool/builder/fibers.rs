//! The properties of a pool's fibers.

/// The properties of a pool's fibers: see [`Builder::fibers`](crate::Builder::fibers).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Fibers {
    pub(super) stack_size: usize,
    pub(super) pinned: bool,
}

/// The default size of a fiber's stack. A stack of this size has room for several hundred stack frames, and the address space has room for
/// a million such stacks.
const FIBER_STACK: usize = 64 << 10;

impl Default for Fibers {
    fn default() -> Self {
        Fibers::new()
    }
}

impl Fibers {
    /// Returns the properties of fibers with stacks of 64 KiB.
    pub const fn new() -> Self {
        Fibers {
            stack_size: FIBER_STACK,
            pinned: false,
        }
    }

    /// Makes fibers stay on their thread: once a fiber has begun on a thread, it runs there until it ends. So a fiber
    /// may keep thread-local values across its waits, but no other thread can continue it. By default, a fiber
    /// continues on any worker that has nothing to do.
    ///
    /// A pinned fiber that has not begun is a task like any other, which any worker may begin. A pinned fiber that has begun waits for its
    /// thread, even if the thread runs a long closure or blocks in the operating system. While a closure or another fiber waits on the
    /// thread through Heist, the thread may run the pinned fiber. The waiting code continues only when the pinned fiber waits or ends. All
    /// threads that have pinned fibers to run may run at the same time, even if their number exceeds the number of the pool's workers.
    ///
    /// ```
    /// use heist::{Fibers, Pool, sync::Barrier};
    /// use std::{rc::Rc, sync::Arc, thread};
    /// // SAFETY: no code keeps thread-local state that it has entered across a wait.
    /// let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new().pinned()) }.build()?;
    /// let barrier = Arc::new(Barrier::new(100));
    /// let all: Vec<_> = (0..100)
    ///     .map(|i| {
    ///         let barrier = barrier.clone();
    ///         pool.spawn_fiber(move || {
    ///             let (here, own) = (thread::current().id(), Rc::new(i));
    ///             barrier.wait();
    ///             assert_eq!(thread::current().id(), here);
    ///             *own
    ///         })
    ///     })
    ///     .collect();
    /// assert_eq!(all.iter().map(|fiber| *fiber.get()).sum::<i32>(), 4950);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub const fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    /// Sets the stack size of each fiber in bytes. The size is rounded up to whole pages, and is at least 16 KiB. Only
    /// pages that the fiber uses take memory: 4 KiB for a fiber that waits immediately. If a fiber overflows its stack,
    /// the process ends with a line that names the fiber and the stack size.
    pub const fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes;
        self
    }
}
