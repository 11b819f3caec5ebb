//! Runs a task that no worker has begun, on the thread that needs the task's value.

use super::{Core, Wake};
use crate::suspend::in_place::{Listening, take_offer};
use crate::suspend::{Isolation, apart, in_fiber};
use crate::task::Header;
use crate::worker::{Job, WorkerThread, local, on_track};
use std::mem::offset_of;
use std::ptr::NonNull;

/// Runs a task by its first entry, unless another thread has claimed it.
///
/// # Safety
/// The caller must keep the contract of [`Header::execute`]. `this` must point to the `first` of a `Core`. The pointer
/// must permit access to the whole task.
pub(super) unsafe fn begin(this: *mut Header) {
    // SAFETY: the caller keeps the contract of this function, which includes the contract of the call. A task that
    // has not been begun is not done, and so live. The entry of a task that has been claimed has a reference, which
    // this function gives up.
    unsafe {
        let core = this.byte_sub(offset_of!(Core, first)).cast::<Core>();
        if (*core).state.begin_first() {
            Header::execute(core.cast());
            return;
        }
        if let Some(worker) = local().worker() {
            worker.pool().stubs.forget(this);
        }
        Core::drop_ref(core);
    }
}

/// Returns true if this worker may run a task where its value is needed. Returns false in a fiber, because its stack is small and made for
/// its own code. The function also returns false in an isolated section, because the task might have to wait. It returns false as well if
/// less than half of the thread's stack is left. The function is not inlined: a fiber may have moved to another thread since its code last
/// read the thread-local words.
#[inline(never)]
fn can_run_in_place(worker: &WorkerThread) -> bool {
    !in_fiber() && !on_track() && Isolation::current() == Isolation::None && worker.has_room()
}

/// A task that the caller has taken and must run.
struct Taken {
    header: *mut Header,
    /// True if the task's entry is left in a queue as a stub. The stub has a reference to the task.
    left_stub: bool,
}

impl Core {
    /// Runs the task on this thread, if the thread can [take](Self::take_up) the task, and is a worker of the task's pool with room on its
    /// stack. If the task then waits for another task, runs that other task, if possible, and then continues the given task. Returns true
    /// if a task ran.
    ///
    /// # Safety
    /// `this` must be live until the call returns, and must point to the whole task. `extra` must be the number of the caller's references,
    /// without the references of handles.
    pub(super) unsafe fn run_in_place(this: *const Core, mut extra: i64) -> bool {
        // SAFETY: the task is live by contract.
        let core = unsafe { &*this };
        if core.state.is_done() {
            return false;
        }
        let mut ran = false;
        while let Some(worker) = local()
            .worker_of(core.pool)
            .filter(|worker| can_run_in_place(worker))
        {
            // SAFETY: the caller keeps the contract of this function, which includes the contract
            // of the call.
            let Some(taken) = (unsafe { Core::take_up(this, worker) }) else {
                break;
            };
            extra += i64::from(taken.left_stub);
            let listening = Listening::with_waker(this.cast());
            apart(|| worker.run_on_top(Job::Run(taken.header)));
            drop(listening);
            ran = true;
            let Some(next) = take_offer(this.cast()) else {
                break;
            };
            // If the task has more than one waker, another event may end its wait first, and this thread must not delay
            // it.
            if !core.state.waits_for_one(extra) || !next.run() {
                break;
            }
        }
        ran
    }

    /// Takes the task, so that the caller can run it. The caller can take the task if no worker has begun the task, if
    /// the task is the newest entry that this worker has queued, or if the task is delayed. If the task is delayed, the
    /// call first runs the tasks that delay it.
    ///
    /// # Safety
    /// `this` must be live until the call returns, and must point to the whole task. `worker` must be the
    /// current thread's worker, and must belong to the task's pool.
    unsafe fn take_up(this: *const Core, worker: &WorkerThread) -> Option<Taken> {
        // SAFETY: the task is live by contract.
        let core = unsafe { &*this };
        // SAFETY: the task is live by contract.
        let first = unsafe { &raw mut (*this.cast_mut()).first };
        let whole: *mut Header = this.cast_mut().cast();
        let taken = |header, left_stub| Some(Taken { header, left_stub });
        if core.state.is_unbegun() {
            if worker.pop_if_newest(first) {
                return taken(first, false);
            }
            let pool = worker.pool();
            if pool.stubs.claim(first, || core.state.claim()) {
                pool.stubs.sweep(&pool.injector, Core::drop_entry);
                return taken(whole, true);
            }
            return None;
        }
        if let Some(help) = core.nature.help {
            // This thread wakes the task early, and so owns it until the end of the poll, which finds out whether
            // an input is missing.
            if core.state.is_suspended() && core.state.wake(false) == Wake::Queue {
                // SAFETY: the caller owns the task, which is delayed and has not been polled to its end.
                unsafe { help(this) };
                return taken(whole, false);
            }
        }
        // A fiber runs on its own stack, and may be bound to a thread. So only a worker that takes the fiber from a queue runs it.
        let again = !core.nature.fiber && worker.pop_if_newest(whole);
        again.then_some(Taken {
            header: whole,
            left_stub: false,
        })
    }

    /// Returns a reference to the task, if it is not done.
    ///
    /// # Safety
    /// `this` must be live, and point to the whole task.
    pub(super) unsafe fn helped(this: *const Core) -> Option<Helped> {
        // SAFETY: the task is live by contract.
        let core = unsafe { &*this };
        let undone = !core.state.is_done();
        undone.then(|| {
            core.add_ref();
            // SAFETY: a reference is not null.
            Helped(unsafe { NonNull::new_unchecked(this.cast_mut()) })
        })
    }

    /// Gives up the reference of a claimed task's entry.
    ///
    /// # Safety
    /// `entry` must point to the `first` of a claimed task, and the pointer must permit access to the whole task. The
    /// caller must have taken the entry from its queue.
    pub(crate) unsafe fn drop_entry(entry: *mut Header) {
        // SAFETY: the caller keeps the contract of this function, which includes the contract of
        // the call.
        unsafe { Core::drop_ref(entry.byte_sub(offset_of!(Core, first)).cast()) };
    }
}

/// A reference to a task for which a thread waits.
#[derive(Debug)]
pub(crate) struct Helped(NonNull<Core>);

impl Helped {
    /// Calls [`Core::run_in_place`] on the task.
    pub(crate) fn run_in_place(&self) -> bool {
        // SAFETY: this reference keeps the task live, and was made of a pointer to the whole task.
        unsafe { Core::run_in_place(self.0.as_ptr(), 1) }
    }
}

impl Drop for Helped {
    fn drop(&mut self) {
        // SAFETY: the task is live, and the reference belonged to this value.
        unsafe { Core::drop_ref(self.0.as_ptr()) };
    }
}
