//! The functions of higher layers that the scheduler calls.

use super::WorkerThread;
use crate::task::Header;
use std::ptr::null;

/// Functions of higher layers. The scheduler calls these functions on slow paths only. The code that builds a pool sets these functions.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// The function that counts `count` tasks of a scope as ended. The scope waits for these tasks
    /// until this call.
    pub(crate) count_finished: unsafe fn(scope: *const (), count: i64),
    /// The function that runs a job on top of code that waits for other jobs.
    pub(crate) run_apart: fn(work: &mut dyn FnMut()),
    /// The function that drops a stub: the entry of a task that was claimed out of turn. The entry must have
    /// left its queue and the list of stubs.
    pub(crate) drop_entry: unsafe fn(entry: *mut Header),
}

impl WorkerThread {
    /// Reports to a scope the tasks of that scope that this worker has finished since the last report. The worker's own thread must call
    /// this function before a task of another scope runs, and before the worker looks for other work. Returns true if there were tasks to
    /// report. In that case this worker's own deques may have new entries.
    #[inline]
    pub(crate) fn flush(&self) -> bool {
        let (scope, count) = self.finished.get();
        if count == 0 {
            return false;
        }
        self.finished.set((null(), 0));
        // SAFETY: the scope still waits for the tasks in this count, because they are reported only
        // now. So the scope exists.
        unsafe { (self.pool().settings.hooks.count_finished)(scope, count) };
        true
    }
}
