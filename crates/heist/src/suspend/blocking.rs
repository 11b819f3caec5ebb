//! Waits in the operating system.

use super::block::Stay;
use super::isolation::Isolation;
use crate::cancel;
use crate::waiting::Reason;
use crate::worker::local;
use std::cell::Cell;

/// Runs a closure that waits for the operating system. During the wait, another thread may take the worker's slot.
///
/// Use this function for reads of files and sockets, locks of other libraries, child processes and `sleep`. Heist does not see such waits,
/// so without this function the core would idle. Another thread of the pool takes over the slot as soon as there is work for it. The
/// closure runs on the caller's own thread, so it may borrow anything that the caller may borrow, and it sees the caller's thread-local
/// values. When the closure ends, the caller continues immediately. If another thread has the caller's slot at that time, the pool runs one
/// thread more than it has slots, until some worker ends a task.
///
/// A call of this function on a worker is a *blocking region*. A blocking region takes two locks and, if work waits, wakes a thread. The
/// locks and the wake-up take several microseconds, so do not use a region for shorter waits. The region may fork, spawn and wait through
/// Heist. In two cases, the thread first takes a slot back: at a join whose other side was stolen, and at a wait in [`sync`](crate::sync).
/// A region may also compute, but then the pool runs one thread more than it has slots.
///
/// You need not set a maximum number of regions. Each region occupies a thread. A pool has [threads](crate::Builder::threads) and, by
/// default, 1,024 [spare threads](crate::Builder::spare_threads). When all threads and spare threads of a pool are in use, the pool reports
/// once on stderr that no spare thread is left. Without spare threads, the pool runs on the workers that return from their regions.
///
/// On a thread that is not a worker, on threads of [fixed](crate::embed) pools, and in start and spawn handlers, this function gives no
/// slot away, and is a plain call of the closure. In [isolated](crate::sync::isolated) sections, and in a blocking region within a blocking
/// region, the function is a plain call, too. In a fiber, the function blocks the thread as in other code. Fibers that are bound to the
/// same thread cannot run during this time.
///
/// ```
/// use std::time::{Duration, Instant};
/// let pool = heist::Pool::new(2)?;
/// let since = Instant::now();
/// pool.finish(|f| {
///     for _ in 0..16 {
///         f.spawn(|_| heist::blocking(|| std::thread::sleep(Duration::from_millis(100))));
///     }
/// });
/// // Not eight waits one after another on each worker.
/// assert!(since.elapsed() < Duration::from_millis(700));
/// # Ok::<(), heist::BuildError>(())
/// ```
///
/// # Panics
/// Rethrows the panic of the closure, after this function has taken the slot back. In a cancelled
/// [scope](crate::cancellable()), this function does not call the closure, and stops. A cancellation does not
/// interrupt a wait that has begun.
pub fn blocking<R>(wait: impl FnOnce() -> R) -> R {
    let mut wait = Some(wait);
    let mut result = None;
    region(&mut || result = wait.take().map(|wait| wait()));
    match result {
        Some(result) => result,
        None => unreachable!("a region that ends has called its closure"),
    }
}

/// Runs `wait` in a region. The function is not inlined, because the caller may be a fiber's code, before or after a switch.
#[inline(never)]
fn region(wait: &mut dyn FnMut()) {
    cancel::check();
    let local = local();
    let Some(worker) = local.worker() else {
        return wait();
    };
    if Isolation::current() != Isolation::None {
        return wait();
    }
    // A track or fiber that runs here must not be suspended in the region, because the region would then end on another thread.
    let _stay = Stay::here();
    let _outer = Restore(&local.fiber, local.fiber.replace(std::ptr::null()));
    worker.run_without_slot(Reason::Blocking, wait);
}

/// A guard that restores the value of a cell when the guard is dropped.
struct Restore<'a, T: Copy>(&'a Cell<T>, T);

impl<T: Copy> Drop for Restore<'_, T> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}
