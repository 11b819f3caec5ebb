//! Properties of a pool's fibers.

/// Properties of a pool's fibers: see [`Builder::fibers`](crate::Builder::fibers).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Fibers {
    pub(super) stack_size: usize,
    pub(super) pinned: bool,
}

/// Room for some hundred frames, in an address space that has it for a million fibers.
const FIBER_STACK: usize = 64 << 10;

impl Default for Fibers {
    fn default() -> Self {
        Fibers::new()
    }
}

impl Fibers {
    /// Fibers with stacks of 64 KiB.
    pub const fn new() -> Self {
        Fibers {
            stack_size: FIBER_STACK,
            pinned: false,
        }
    }

    /// Fibers that stay: once one has begun on a thread, it runs there until it ends. So it may keep values of
    /// its thread across its waits, but no other thread can take it over. The default is that a fiber
    /// goes on wherever a worker has nothing to do.
    ///
    /// Until it has begun it is a task like any other. From then on it waits for its thread, also while
    /// that runs a long closure or blocks in the operating system. While a closure or another
    /// fiber waits on the thread through Heist, it runs on top of that, which then goes on only when the fiber
    /// waits or ends. If more threads than the pool has workers have such fibers to run, they run
    /// side by side.
    ///
    /// ```
    /// use heist::{Fibers, Pool, sync::Barrier};
    /// use std::{rc::Rc, sync::Arc, thread};
    /// // SAFETY: what is entered on a thread here is not kept across a wait.
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

    /// Sets the stack of each fiber in bytes, rounded up to pages, at least 16 KiB. Only touched pages take
    /// memory: 4 KiB for a fiber that waits at once. A fiber that overflows its stack ends the process with a
    /// line that names it and its size.
    pub const fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes;
        self
    }
}
