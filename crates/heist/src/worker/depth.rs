//! The depth to which forks may nest on one worker.
//!
//! A fork does not check whether its deque has room, because a check would cost each fork two instructions. A fork without room writes to
//! the guard page behind the deque cells. This module then reports the overflow before the process ends.

#[cfg(all(unix, not(miri), not(heist_model)))]
mod imp {
    use crate::platform::{Reporter, decimal, page_size, report_faults, say_and_abort};
    use crate::worker::local::local;

    /// Installs a fault handler that reports a fork without room in the deque.
    pub(in crate::worker) fn report_overflows() {
        // SAFETY: the reporter reads only memory that does not change while the thread is a worker, and makes only one system call, to
        // write the message.
        unsafe { report_faults(Reporter::Forks, report) };
    }

    /// Reports an overflow of the current worker's fork deque and ends the process, if the address is in the guard page behind the deque's
    /// cells. No other thread writes to that page.
    ///
    /// # Safety
    /// The caller must be a signal handler on the thread whose access to the address has faulted.
    unsafe fn report(address: usize) {
        let Some(worker) = local().worker() else {
            return;
        };
        let most = worker.forks.capacity();
        let page = page_size();
        let guard = worker.forks.place(most).addr().next_multiple_of(page);
        // The last cell of the fork deque ends at the end of a page, or before it.
        if !(guard..guard + page).contains(&address) {
            return;
        }
        let mut digits = [0; 20];
        say_and_abort([
            "heist: ",
            decimal(most as usize, &mut digits),
            " forks are nested on one worker, which has no room for more; below some depth, call instead of forking\n",
        ]);
    }
}

#[cfg(not(all(unix, not(miri), not(heist_model))))]
mod imp {
    /// Does nothing, because the platform has no guard page or no handler.
    pub(in crate::worker) fn report_overflows() {}
}

pub(super) use imp::report_overflows;
