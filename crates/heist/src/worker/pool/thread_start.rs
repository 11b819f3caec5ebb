//! The start of a worker's thread, for programs that start threads themselves.

use crate::worker::{PoolInner, local, worker_main};
use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The main function of a thread that a pool starts. [`Builder::spawn_handler`](crate::Builder::spawn_handler) receives it.
///
/// If a program drops a `ThreadStart` without running it, the pool treats the thread as a thread that could not be started. If a program
/// leaks a `ThreadStart`, the pool waits for the thread forever.
#[derive(Debug)]
#[must_use]
pub struct ThreadStart {
    /// The thread's pool, or `None` after the call of [`run`](Self::run).
    pool: Option<Arc<PoolInner>>,
    id: u16,
    slot: u32,
    name: String,
    stack_size: usize,
}

/// The minimum size of a worker's stack in bytes. The worker itself takes several KiB of this stack, and in a build without optimisation a
/// fork takes more than 1 KiB.
const LEAST_STACK: usize = 64 << 10;

impl ThreadStart {
    pub(in crate::worker) fn new(pool: Arc<PoolInner>, id: u16, slot: u32) -> Self {
        ThreadStart {
            name: pool.settings.name_of(id),
            stack_size: pool.settings.stack_size.max(LEAST_STACK),
            pool: Some(pool),
            id,
            slot,
        }
    }

    /// Returns the index of the thread among the pool's threads.
    #[must_use]
    pub fn index(&self) -> usize {
        self.id.into()
    }

    /// Returns the name that the thread should have.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the stack size that the thread should have, in bytes. On 64-bit Unix, the worker has room for at least four million nested
    /// forks, and for more if more forks fit on the thread's stack. (The stack counts with this size or with its real size, whichever is
    /// larger.) A deeper fork ends the process with a message.
    #[must_use]
    pub fn stack_size(&self) -> usize {
        self.stack_size
    }

    /// Runs the pool's work until the pool is dropped.
    ///
    /// # Panics
    /// Panics on a thread that is a worker already.
    pub fn run(mut self) {
        // This check comes before the pool is taken out of the start: if the check panics, the drop of the start counts the thread as lost.
        assert!(
            local().worker().is_none(),
            "heist: ThreadStart::run was called on a thread that is a worker already"
        );
        if let Some(pool) = self.pool.take() {
            worker_main(pool, self.id, self.slot);
        }
    }

    pub(in crate::worker) fn spawn_std(self) -> io::Result<JoinHandle<()>> {
        thread::Builder::new()
            .stack_size(self.stack_size)
            .name(self.name.clone())
            .spawn(|| self.run())
    }
}

impl Drop for ThreadStart {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            let watched = Watch::note((Arc::as_ptr(&pool).addr(), self.id));
            pool.lose(self.id, self.slot, dropped(), watched);
        }
    }
}

fn dropped() -> io::Error {
    io::Error::other("its ThreadStart was dropped without being run")
}

/// The `ThreadStart` that a pool now passes to a spawn handler on this thread. The flag is true if this thread has already dropped the
/// `ThreadStart`.
type Watched = ((usize, u16), bool);

thread_local! {
    static WATCHED: Cell<Option<Watched>> = const { Cell::new(None) };
}

/// A guard that exists while a pool passes a `ThreadStart` to a spawn handler. The guard shows whether the handler has dropped the
/// `ThreadStart`, so that the pool can report the error.
#[must_use]
pub(in crate::worker) struct Watch {
    outer: Option<Watched>,
}

impl Watch {
    pub(in crate::worker) fn begin(start: &ThreadStart) -> Self {
        let of = start
            .pool
            .as_ref()
            .map_or(0, |pool| Arc::as_ptr(pool).addr());
        let outer = WATCHED.replace(Some(((of, start.id), false)));
        Watch { outer }
    }

    /// Records the drop of a start. Returns true if this thread has a guard for this start.
    fn note(start: (usize, u16)) -> bool {
        // The thread-local value may be gone if the destructor of another thread-local value calls this function. No pool passes a
        // `ThreadStart` to a handler in such a destructor.
        let watched = WATCHED.try_with(Cell::get).ok().flatten();
        let same = watched.is_some_and(|(of, _)| of == start);
        if same {
            WATCHED.set(Some((start, true)));
        }
        same
    }

    /// Ends the watch. Returns an error if this thread has dropped the start.
    pub(in crate::worker) fn end(self) -> Option<io::Error> {
        let (_, was_dropped) = WATCHED.replace(self.outer)?;
        was_dropped.then(dropped)
    }
}
