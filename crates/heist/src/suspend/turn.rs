//! Yielding: the caller continues after other ready tasks have had their turn.

use super::block::Stay;
use super::fiber::{self, current_waker};
use super::isolation::Isolation;
use crate::worker::local;
use std::thread;

/// Yields to other ready tasks: they run before the caller continues.
///
/// Use this function in code that waits in a loop for an event that Heist does not know, such as a flag of a C
/// library. If the code can wait through [`sync`](crate::sync), prefer such a wait, which needs no polling.
///
/// *A fiber* is suspended, and continues when the worker has run the tasks that were ready. *Any other code on a worker* keeps its thread,
/// and no other task runs on that thread during the call. So calls of this function do not nest, even if many tasks yield to each other. If
/// the caller holds a lock across the call, no other code on the same thread tries to take this lock. If all workers are busy and some work
/// is ready, the worker's slot goes to another thread. The calling thread continues when the workers have begun all work that was queued
/// before, or after half a millisecond. Then more threads run than the pool has slots, until some worker ends its task. If some worker is
/// idle, or no work is ready, this call keeps the slot, and yields the processor to other threads of the system. The call also keeps the
/// slot and yields the processor on a thread that is not a worker, on threads of [fixed](crate::embed) pools, in start and spawn handlers,
/// and in an [isolated](crate::sync::isolated) section.
///
/// In an `async` task this call blocks the worker. To wait in such a task, use `.await`.
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
        // The fiber wakes its own task while the task runs, so the task is queued again when it is
        // suspended.
        if let Some(waker) = current_waker() {
            waker.wake();
            // SAFETY: since `current` returned this strand, the fiber has only called a waker, so the strand is
            // still the current one.
            unsafe { strand.suspend() };
        }
        return;
    }
    yield_thread();
}

/// Yields in code that is not a fiber. The function is not inlined, because the caller may be a fiber's code, before or after a switch.
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
