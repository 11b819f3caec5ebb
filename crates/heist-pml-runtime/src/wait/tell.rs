//! Tells strands about cancellations.

use std::sync::Arc;

use crate::protocol::job::Job;
use crate::state::strand::Strand;
use crate::state::world::World;
use crate::wait::{lazy, parts};

/// Makes thieves check at their next polls whether their results are needed, and wakes cancelled strands that wait.
pub(crate) fn tell_cancelled(world: &World) {
    tell(world, None);
}

/// Does the work of [`tell_cancelled`] after these scopes were cancelled.
pub(crate) fn tell_scopes_cancelled(world: &World, scopes: &[Arc<Job>]) {
    tell(world, Some(scopes));
}

fn tell(world: &World, scopes: Option<&[Arc<Job>]>) {
    world.ring_all();
    // SAFETY: the caller is a running worker, or is the end of a program, which has stopped all workers.
    unsafe {
        lazy::wake_cancelled(world);
        if world.threads.are_used() {
            parts::wake_cancelled(world, scopes);
        }
    }
}

impl Strand {
    /// Removes the newest mask, or all masks if `all` is true. After this call, cancellations of enclosing parts reach the forks of the
    /// masked code.
    pub(crate) fn unmask(&mut self, world: &World, all: bool) {
        while let Some(masked) = self.masks.pop() {
            if let Some(mask) = masked.mask {
                mask.lift();
                tell_cancelled(world);
            }
            if !all {
                break;
            }
        }
    }
}
