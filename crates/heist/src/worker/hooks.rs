//! The scheduler's calls to higher layers.

use super::WorkerThread;
use crate::task::Header;
use std::ptr::null;

/// Functions of the layers above that the scheduler calls, on slow paths only. The builder of a pool names them.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// Counts tasks of a scope that have ended. The scope still waits for these tasks.
    pub(crate) count_finished: unsafe fn(scope: *const (), count: i64),
    /// Runs a job that is unrelated to the waits below it on this stack.
    pub(crate) run_apart: fn(work: &mut dyn FnMut()),
    /// Drops the entry of a task that has been claimed out of its turn. The entry has left its queue, and the list of stubs.
    pub(crate) drop_entry: unsafe fn(entry: *mut Header),
}

impl WorkerThread {
    /// Reports the tasks that this worker has finished since the last call to their scope. Called before a task of another
    /// scope runs, and before the worker looks for other work. Returns true if it had any tasks to report: then there may
    /// be new entries in its own deques. Called on the worker's own thread.
    #[inline]
    pub(crate) fn flush(&self) -> bool {
        let (scope, count) = self.finished.get();
        if count == 0 {
            return false;
        }
        self.finished.set((null(), 0));
        // SAFETY: the tasks in this count are not counted out yet, so the scope waits for them.
        unsafe { (self.pool().settings.hooks.count_finished)(scope, count) };
        true
    }
}
