//! Makes parked strands run again: see `state/ready.rs`.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;

/// Makes a parked strand run again, on the worker or on the strand's home.
///
/// # Safety
/// The worker must be the calling thread's own. No other thread may have the strand: its permit was given, and it is in no list.
pub unsafe fn wake(worker: *mut Worker, strand: *mut Strand) {
    // SAFETY: `worker` is this thread's own. No other thread has the strand. When the strand goes into the queue, it has this worker or no
    // worker as its home.
    unsafe {
        let world: *const World = (*worker).world();
        if hand_over(&*world, strand, (*worker).ready.number + 1) {
            return;
        }
        (*worker).ready.add(strand);
    }
}

/// Makes a parked strand run again, on some worker, before published forks. May be called on any thread.
///
/// # Safety
/// No other thread may have the strand, and the calling thread must count as running.
pub unsafe fn wake_outside(world: &World, strand: *mut Strand) {
    // SAFETY: no other thread has the strand. If the strand has a home, it goes to the inbox of its home. If the strand has no home, it
    // meets the requirement of `inject_urgent`.
    unsafe {
        (*strand).urgent = true;
        if hand_over(world, strand, 0) {
            return;
        }
        if let Some(pool) = world.started() {
            pool.inject_urgent(strand);
        }
    }
}

/// Puts a strand into the inbox of its home, if it has a home other than `own`.
///
/// # Safety
/// No other thread may have the strand: it runs nowhere and is in no list. The calling thread must count as running. `own` must be 0, or 1
/// plus the number of the calling thread's worker.
unsafe fn hand_over(world: &World, strand: *mut Strand, own: usize) -> bool {
    // SAFETY: the caller alone has the strand before it is pushed. Its home is an atomic that the home changes under the lock of the inbox,
    // so it stays while the lock is held.
    unsafe {
        // Acquire: pairs with the release in `settle`.
        let home = (*strand).home.load(Ordering::Acquire);
        if home == 0 || home == own {
            return false;
        }
        let inbox = &world.threads.inboxes[home - 1];
        let mut strands = inbox.strands.lock().unwrap_or_else(PoisonError::into_inner);
        // Acquire: pairs with the release in `settle`. While the lock is held, the home does not change.
        if (*strand).home.load(Ordering::Acquire) == 0 {
            return false;
        }
        strands.push_back(strand);
        // Relaxed: the lock orders all changes.
        inbox.count.store(strands.len(), Ordering::Relaxed);
        // The ring of the doorbell ends a long run of another strand on the home.
        world.ring(home - 1);
        true
    }
}
