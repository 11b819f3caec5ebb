//! The list of strands that a cancellation must find, because they wait or have made offers inside of a part.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use super::super::protocol::job::Around;
use super::super::strand::Strand;
use super::super::world::World;
use super::choices::choice;
use super::{give_permit, ready};

/// The waiting strands that have a part that may be cancelled.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

/// A strand, and the part of the strand that may be cancelled.
struct Part {
    strand: *mut Strand,
    /// The innermost part around the strand.
    around: Around,
}

// SAFETY: other threads read only the `object` of a listed strand, and that field does not change until the strand has left the list.
unsafe impl Send for Parts {}

/// Adds a strand to the list in which cancellations look for strands. The strand is about to make offers or to wait for its permit. Returns
/// the innermost part around the strand that may be cancelled.
///
/// # Safety
/// The caller's worker must run the strand, and the strand must have an object.
#[inline]
pub(super) unsafe fn list(world: &World, strand: *mut Strand) -> Option<Around> {
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
/// The caller's worker must run the strand, and the strand must have an object.
#[inline(never)]
unsafe fn list_part(world: &World, strand: *mut Strand) -> Option<Around> {
    // SAFETY: the caller's worker runs the strand, so no other thread writes to these fields. Others read `object` alone, which is not
    // borrowed here.
    let (around, listed) = unsafe { ((*strand).exposed(), &mut (*strand).listed) };
    let now = around
        .as_ref()
        .map_or(std::ptr::null(), |around| Arc::as_ptr(&around.job));
    if now != *listed {
        let mut parts = world.threads.parts();
        parts.0.retain(|part| part.strand != strand);
        if let Some(around) = &around {
            let around = around.clone();
            parts.0.push(Part { strand, around });
        }
        *listed = now;
    }
    around
}

/// Removes from the list of parts a strand that has ended.
///
/// # Safety
/// No other thread may have the strand.
pub(super) unsafe fn unlist(world: &World, strand: *mut Strand) {
    // SAFETY: no other thread writes to the strand's `listed`; the list itself is behind its lock.
    unsafe {
        if !std::mem::replace(&mut (*strand).listed, std::ptr::null()).is_null() {
            let mut parts = world.threads.parts();
            parts.0.retain(|part| part.strand != strand);
        }
    }
}

/// Handles the cancellation of a job: revokes the offers of the strands that compute a part of the job. Wakes the parked strands among
/// them, so that they end.
///
/// # Safety
/// The caller must be a running worker, or have stopped all workers.
pub(in super::super) unsafe fn wake_cancelled(world: &World) {
    // SeqCst: pairs with the fence in `choices::begin_choice`: either this function finds the new choice, or `begin_choice` sees the
    // cancellation.
    fence(Ordering::SeqCst);
    // The lock is held to the end, so that each revoked choice was made inside of the cancelled part.
    let parts = world.threads.parts();
    for part in parts.0.iter().filter(|part| part.around.is_cancelled()) {
        // SAFETY: the object of a strand in the list stays as it is while the lock is held, and nothing is collected while the caller
        // runs.
        unsafe {
            let thread = (*part.strand).object;
            choice(thread).revoke();
            if let Some(strand) = give_permit(world, thread) {
                ready::wake_outside(world, strand);
            }
        }
    }
}
