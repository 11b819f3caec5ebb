//! Finds the strands that a cancellation must wake.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use crate::protocol::job::Job;
use crate::protocol::part::Around;
use crate::state::strand::Strand;
use crate::state::thread_object::{choice, give_permit};
use crate::state::world::World;
use crate::wait::wake;

/// Notes a strand, which is about to make offers or to wait for its permit, in the list in which cancellations look for strands. Returns
/// the innermost part around the strand that may be cancelled.
///
/// # Safety
/// The calling thread's worker must run the strand, and the strand must have an object.
#[inline]
pub(crate) unsafe fn list(world: &World, strand: *mut Strand) -> Option<Around> {
    // SAFETY: the caller's worker runs the strand, so no other thread writes to these fields.
    if unsafe { (*strand).listed.is_null() && (*strand).is_whole() } {
        return None;
    }
    // SAFETY: the caller's worker runs the strand, which has an object.
    unsafe { list_part(world, strand) }
}

/// Does the work of [`list`] for a strand that is or was inside of a part.
///
/// # Safety
/// The calling thread's worker must run the strand, and the strand must have an object.
#[inline(never)]
unsafe fn list_part(world: &World, strand: *mut Strand) -> Option<Around> {
    // SAFETY: the caller's worker runs the strand, so no other thread writes to these fields. Other threads read only `object`, which is
    // not borrowed here.
    let (around, listed) = unsafe { ((*strand).exposed(), &mut (*strand).listed) };
    let now = around
        .as_ref()
        .map_or(std::ptr::null(), |around| Arc::as_ptr(&around.job));
    if now != *listed {
        let mut parts = world.threads.parts();
        parts.remove(strand);
        if let Some(around) = &around {
            parts.add(strand, around.clone());
        }
        *listed = now;
    }
    around
}

/// Removes from the list of parts a strand that has ended.
///
/// # Safety
/// No other thread may have the strand.
pub(crate) unsafe fn unlist(world: &World, strand: *mut Strand) {
    // SAFETY: no other thread writes to the strand's `listed`; the list itself is behind its lock.
    unsafe {
        if !std::mem::replace(&mut (*strand).listed, std::ptr::null()).is_null() {
            world.threads.parts().remove(strand);
        }
    }
}

/// Handles the cancellation of jobs. For each strand that computes a part of a cancelled job, revokes the strand's offers. If the strand is
/// parked, wakes the strand, so that it ends. If `scopes` is given, only jobs in these scopes were cancelled.
///
/// # Safety
/// The caller must be a running worker, or have stopped all workers.
pub(crate) unsafe fn wake_cancelled(world: &World, scopes: Option<&[Arc<Job>]>) {
    // SeqCst: pairs with the fence in `choices::begin_choice`: either this function finds the new choice, or `begin_choice` sees the
    // cancellation.
    fence(Ordering::SeqCst);
    // The lock is held to the end, so that each revoked choice was made inside of the cancelled part.
    let parts = world.threads.parts();
    parts.each_cancelled(scopes, |strand| {
        // SAFETY: the object of a strand in the list stays as it is while the lock is held, and nothing is collected while the caller
        // runs.
        unsafe {
            let thread = (*strand).object;
            choice(thread).revoke();
            if let Some(strand) = give_permit(world, thread) {
                wake::wake_outside(world, strand);
            }
        }
    });
}
