//! The list of strands that a cancellation must find, because they wait or have made offers inside of a part that may be cancelled.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use crate::protocol::job::{Around, Job};
use crate::state::strand::Strand;
use crate::state::thread_object::{choice, give_permit};
use crate::state::world::World;
use crate::wait::ready;

/// The waiting strands that have a part that may be cancelled.
#[derive(Default)]
pub(crate) struct Parts {
    /// The innermost part around each strand.
    around: HashMap<*mut Strand, Around>,
    /// The strands inside of each scope. The cancellation of a scope looks only at these strands.
    inside: HashMap<*const Job, HashSet<*mut Strand>>,
}

impl Parts {
    fn add(&mut self, strand: *mut Strand, around: Around) {
        for scope in around.job.scopes() {
            self.inside.entry(scope).or_default().insert(strand);
        }
        self.around.insert(strand, around);
    }

    fn remove(&mut self, strand: *mut Strand) {
        let Some(around) = self.around.remove(&strand) else {
            return;
        };
        for scope in around.job.scopes() {
            let scope: *const Job = scope;
            if let Some(strands) = self.inside.get_mut(&scope) {
                strands.remove(&strand);
                if strands.is_empty() {
                    self.inside.remove(&scope);
                }
            }
        }
    }

    /// Calls `wake` with each cancelled strand. If `scopes` is given, only jobs in these scopes were cancelled.
    fn each_cancelled(&self, scopes: Option<&[Arc<Job>]>, mut wake: impl FnMut(*mut Strand)) {
        match scopes {
            None => {
                let all = self.around.iter();
                all.filter(|(_, around)| around.is_cancelled())
                    .for_each(|(strand, _)| wake(*strand));
            }
            Some(scopes) => {
                let sets = scopes.iter().map(Arc::as_ptr);
                let strands = sets.filter_map(|scope| self.inside.get(&scope)).flatten();
                strands
                    .filter(|strand| self.around.get(strand).is_some_and(Around::is_cancelled))
                    .for_each(|strand| wake(*strand));
            }
        }
    }
}

// SAFETY: other threads read only the `object` of a listed strand, and that field does not change until the strand has left the list.
unsafe impl Send for Parts {}

/// Adds a strand that is about to make offers or to wait for its permit to the list in which cancellations look for strands. Returns the
/// innermost part around the strand that may be cancelled.
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
                ready::wake_outside(world, strand);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(number: usize) -> *mut Strand {
        std::ptr::without_provenance_mut(8 * number)
    }

    fn found(parts: &Parts, scopes: Option<&[Arc<Job>]>) -> Vec<usize> {
        let mut found = Vec::new();
        parts.each_cancelled(scopes, |strand| found.push(strand.addr() / 8));
        found.sort_unstable();
        found
    }

    #[test]
    fn a_cancelled_scope_has_the_strands_of_the_scopes_and_forks_inside_of_it() {
        let outer = Arc::new(Job::scope(1, None));
        let inner = Arc::new(Job::scope(2, Some(Around::part_of(outer.clone()))));
        let fork = Arc::new(Job::new(
            0,
            Vec::new(),
            Some(Around::part_of(inner.clone())),
        ));
        let other = Arc::new(Job::scope(3, None));
        let mut parts = Parts::default();
        for (number, job) in [(1, &outer), (2, &inner), (3, &fork), (4, &other)] {
            parts.add(strand(number), Around::part_of(job.clone()));
        }
        assert_eq!(found(&parts, None), []);
        assert_eq!(found(&parts, Some(&[outer.clone(), other.clone()])), []);
        inner.cancel();
        assert_eq!(found(&parts, Some(std::slice::from_ref(&inner))), [2, 3]);
        outer.cancel();
        assert_eq!(found(&parts, Some(std::slice::from_ref(&outer))), [1, 2, 3]);
        assert_eq!(found(&parts, Some(std::slice::from_ref(&other))), []);
        assert_eq!(found(&parts, None), [1, 2, 3]);
        parts.remove(strand(3));
        assert_eq!(found(&parts, Some(&[outer])), [1, 2]);
        (1..=4).for_each(|number| parts.remove(strand(number)));
        assert!(parts.around.is_empty() && parts.inside.is_empty());
    }
}
