//! Letting others go first.

use super::block::Stay;
use super::fiber::{self, current_waker};
use super::isolation::Isolation;
use crate::worker::local;
use std::thread;

/// Lets other tasks that are ready go first.
///
/// For code that waits in a loop for something that Heist does not know, such as a flag of a C library. If it can be
/// waited for through [`sync`](crate::sync), that is better: it costs nothing while it waits.
///
/// *In a fiber* it is suspended, and goes on when the worker has come to what was ready. *In any other code on a worker*
/// that task keeps its thread, and nothing is run on top of it: so calls do not nest, however many tasks yield to each other, and a lock
/// that is held across a call is not asked for on the same thread. If all workers are busy and something is ready to run, the
/// worker's place goes to another thread, and this one goes on when a worker has come to all that was queued before, or after half
/// a millisecond. Some threads more than workers run then, until the next of these tasks ends. If some worker is idle,
/// or nothing is ready, this only lets other threads of the system run, as it does on a thread that is not a worker, on those of
/// [fixed](crate::embed) pools, in start and spawn handlers, and in an [isolated](crate::sync::isolated) section.
///
/// In an `async` task it holds the worker as any other code does; there, wait by `.await`.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// let pool = heist::Pool::new(1)?;
/// let flag = Arc::new(AtomicBool::new(false));
/// let set = flag.clone();
/// let spins = pool.spawn(move || {
///     while !flag.load(Ordering::Acquire) {
///         heist::yield_now(); // else the one worker would never come to the next task
///     }
/// });
/// pool.spawn(move || set.store(true, Ordering::Release));
/// spins.join().unwrap();
/// # Ok::<(), heist::BuildError>(())
/// ```
pub fn yield_now() {
    if let Some(strand) = fiber::current() {
        // Woken while it runs: so it is queued again when it has been suspended.
        if let Some(waker) = current_waker() {
            waker.wake();
            // SAFETY: nothing has happened since it was asked for but a wake-up, which leaves nothing behind.
            unsafe { strand.suspend() };
        }
        return;
    }
    yield_thread();
}

/// Not inlined into what may be a fiber's code, before or after a switch.
#[inline(never)]
fn yield_thread() {
    match local().worker() {
        Some(worker) if Isolation::current() == Isolation::None => {
            let _stay = Stay::here();
            worker.give_turn();
        }
        _ => thread::yield_now(),
    }
}
