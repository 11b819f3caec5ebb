//! Running a task that nobody has begun where its value is asked for.

use super::Core;
use crate::suspend::apart;
use crate::task::Header;
use crate::worker::{Job, can_run_in_place, hot};
use std::mem::offset_of;
use std::ptr::NonNull;

/// Runs a task by its first entry, unless somebody has claimed it.
///
/// # Safety
/// As [`Header::execute`]; `this` is the `first` of a `Core`, with leave to use the whole task.
pub(super) unsafe fn begin(this: *mut Header) {
    // SAFETY: by contract. A task that has not been begun is not done, and so live; of one that has been claimed the entry
    // has a reference, which is given up here.
    unsafe {
        let core = this.byte_sub(offset_of!(Core, first)).cast::<Core>();
        if (*core).state.begin_first() {
            Header::execute(core.cast());
            return;
        }
        if let Some(carrier) = hot().carrier() {
            carrier.crew().stubs.forget(this);
        }
        Core::drop_ref(core);
    }
}

impl Core {
    /// Runs the task on this thread if nobody has begun it and this is a worker of its crew, with room on its stack: until
    /// the task waits or ends. True if it did.
    ///
    /// # Safety
    /// `this` is live and stays so, by a reference of the caller's, and points to the whole task.
    pub(super) unsafe fn run_in_place(this: *const Core) -> bool {
        // SAFETY: live by contract.
        let core = unsafe { &*this };
        if !core.state.is_unbegun() {
            return false;
        }
        let Some(carrier) = hot()
            .carrier_of(core.crew)
            .filter(|carrier| can_run_in_place(carrier))
        else {
            return false;
        };
        // SAFETY: live by contract.
        let first = unsafe { &raw mut (*this.cast_mut()).first };
        let job = if carrier.pop_if_newest(first) {
            first
        } else if carrier.crew().stubs.claim(first, || core.state.claim()) {
            carrier.crew().stubs.sweep(&carrier.crew().injector);
            this.cast_mut().cast()
        } else {
            return false;
        };
        apart(|| carrier.run_on_top(Job::Run(job)));
        true
    }

    /// A reference to the task, if nobody has begun it.
    ///
    /// # Safety
    /// `this` is live, and points to the whole task.
    pub(super) unsafe fn unbegun(this: *const Core) -> Option<Unbegun> {
        // SAFETY: live by contract.
        let core = unsafe { &*this };
        let unbegun = core.state.is_unbegun();
        unbegun.then(|| {
            core.add_ref();
            // SAFETY: a reference is not null.
            Unbegun(unsafe { NonNull::new_unchecked(this.cast_mut()) })
        })
    }

    /// Gives up the reference that the entry of a claimed task had.
    ///
    /// # Safety
    /// `entry` is the `first` of a task that was claimed, with leave to use the whole task, and has been taken from its
    /// queue.
    pub(crate) unsafe fn drop_entry(entry: *mut Header) {
        // SAFETY: by contract.
        unsafe { Core::drop_ref(entry.byte_sub(offset_of!(Core, first)).cast()) };
    }
}

/// A reference to a task that nobody had begun when it was made.
#[derive(Debug)]
pub(crate) struct Unbegun(NonNull<Core>);

impl Unbegun {
    /// [`Core::run_in_place`].
    pub(crate) fn run_in_place(&self) -> bool {
        // SAFETY: live by this reference, and made of a pointer to the whole task.
        unsafe { Core::run_in_place(self.0.as_ptr()) }
    }
}

impl Drop for Unbegun {
    fn drop(&mut self) {
        // SAFETY: live, and the reference was this one's.
        unsafe { Core::drop_ref(self.0.as_ptr()) };
    }
}
