//! A published fork as an entry of a deque.

use std::sync::Arc;

use heist::embed;

use crate::protocol::job::Job;

/// The owner's record of a published fork: the job, and the job's entry in some deque.
///
/// The owner takes the entry back by its address, so until then no other entry may have this address. Therefore the entry's memory is not
/// freed before this value, even if another thread has already taken the entry out of the deque.
pub struct Queued(Arc<InDeque>);

/// The entry in the deque. The deque holds its own reference count of the entry.
#[repr(C)]
struct InDeque {
    /// The header must be the first field, because the deque stores the header's address as the address of the entry.
    header: embed::Job,
    job: Arc<Job>,
}

impl Queued {
    /// Makes an entry for the job. The thread that takes the entry from the deque calls `run`, which calls [`Queued::taken`].
    #[must_use]
    pub fn new(job: Arc<Job>, run: unsafe fn(*mut embed::Job)) -> Queued {
        let header = embed::Job::new(run);
        Queued(Arc::new(InDeque { header, job }))
    }

    /// Returns the job.
    #[must_use]
    pub fn job(&self) -> &Arc<Job> {
        &self.0.job
    }

    /// Returns the address that names the entry.
    #[must_use]
    pub fn address(&self) -> *mut embed::Job {
        Arc::as_ptr(&self.0).cast_mut().cast()
    }

    /// Returns the entry for a deque. The deque must run the entry exactly once.
    #[must_use]
    pub fn for_deque(&self) -> *mut embed::Job {
        Arc::into_raw(self.0.clone()).cast_mut().cast()
    }

    /// Returns the job of an entry that was taken out of its deque, and drops the deque's reference count.
    ///
    /// # Safety
    /// [`Queued::for_deque`] must have made the entry, and each entry that it makes may be passed to this function once.
    #[must_use]
    pub unsafe fn taken(entry: *mut embed::Job) -> Arc<Job> {
        // SAFETY: `for_deque` has made `entry` by `Arc::into_raw`. This call takes over the reference count of `entry`, because there is
        // only one call for each entry.
        let entry = unsafe { Arc::from_raw(entry.cast_const().cast::<InDeque>()) };
        entry.job.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe fn no_run(_: *mut embed::Job) {}

    #[test]
    fn an_entry_keeps_its_address_until_its_owner_lets_it_go() {
        let queue = || Queued::new(Arc::new(Job::new(0, vec![], None)), no_run);
        let owners = queue();
        // A thief has taken the entry out of the deque.
        // SAFETY: `for_deque` has made the entry, and this is the only call for it.
        let job = unsafe { Queued::taken(owners.for_deque()) };
        assert!(Arc::ptr_eq(&job, owners.job()));
        let later: Vec<_> = (0..1000).map(|_| queue()).collect();
        assert!(later.iter().all(|it| it.address() != owners.address()));
        // The owner's reference is dropped first.
        let entry = owners.for_deque();
        drop((owners, job));
        // SAFETY: `for_deque` has made the entry, and this is the only call for it.
        assert_eq!(Arc::strong_count(&unsafe { Queued::taken(entry) }), 1);
    }
}
