//! Waits of the operating system.

use super::block::Stay;
use super::isolation::Isolation;
use crate::cancel;
use crate::waiting::Reason;
use crate::worker::local;
use std::cell::Cell;

/// Runs a closure that waits for the operating system, and gives the worker's place to another thread meanwhile.
///
/// For reads of files and sockets, locks of other libraries, children, `sleep`: waits that Heist does not see, so that the core
/// would idle. Another thread of the pool takes the place over as soon as there is work for it, at once if there is some now.
/// The closure runs on the caller's own thread, so it may borrow whatever the caller may, and its thread-local values are the
/// caller's. When it ends the caller goes on at once; if its place is taken by then, one thread more than workers runs until
/// some worker comes to the end of a task.
///
/// A worker that enters and leaves a region takes two locks and, if work waits, wakes a thread: some microseconds. A wait that is
/// shorter than that is better left alone. The region may fork, spawn and wait through Heist; a join in it whose other side was
/// stolen, and a wait in [`sync`](crate::sync), takes the place back first. Computing in a region works, but runs one thread more
/// than the pool has workers.
///
/// There is no number of regions to choose. Each holds a thread, and a pool has [threads](crate::Builder::threads) and
/// [spare threads](crate::Builder::spare_threads), 1,024 of these by default: when they are used up the pool says so once
/// on the error output, and runs on with the workers that come back.
///
/// Nothing of this happens on a thread that is not a worker, on those of [fixed](crate::embed) pools, in start and spawn handlers, in
/// [isolated](crate::sync::isolated) sections, and in a region within a region: there it only calls the closure. In a fiber it
/// holds the thread as in other code, and a fiber that is bound to the same thread waits too.
///
/// ```
/// use std::time::{Duration, Instant};
/// let pool = heist::Pool::new(2)?;
/// let since = Instant::now();
/// pool.finish(|f| {
///     for _ in 0..16 {
///         f.spawn(|_| heist::blocking(|| std::thread::sleep(Duration::from_millis(20))));
///     }
/// });
/// // Not eight waits one after another on each worker.
/// assert!(since.elapsed() < Duration::from_millis(120));
/// # Ok::<(), heist::BuildError>(())
/// ```
///
/// # Panics
/// Rethrows the panic of the closure, with the place taken back. In a [scope](crate::cancellable()) that is cancelled it stops
/// instead of calling the closure; a wait that has begun is not interrupted.
pub fn blocking<R>(wait: impl FnOnce() -> R) -> R {
    let mut wait = Some(wait);
    let mut result = None;
    region(&mut || result = wait.take().map(|wait| wait()));
    match result {
        Some(result) => result,
        None => unreachable!("a region that ends has called its closure"),
    }
}

/// Not inlined into what may be a fiber's code, before or after a switch.
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
    // Neither a track nor a fiber that runs here may be suspended in the region: it would end on another thread.
    let _stay = Stay::here();
    let _outer = Restore(&local.fiber, local.fiber.replace(std::ptr::null()));
    worker.run_without_slot(Reason::Blocking, wait);
}

/// Puts a value back.
struct Restore<'a, T: Copy>(&'a Cell<T>, T);

impl<T: Copy> Drop for Restore<'_, T> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}
