//! The worker's side of scopes that can be cancelled: it records the current scope.

use crate::cancel::{self, Node, Workers};
use crate::worker::local::local_now;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::ptr;

/// The data with which a thread returns from a cancel scope to the scope in which it was before.
#[derive(Debug)]
#[must_use = "the thread must leave the scope"]
pub(crate) struct Entered {
    outer: *const Node,
    /// True if the scopes differ.
    changed: bool,
}

impl WorkerThread {
    /// Enters a cancel scope, or leaves all if `node` is null: from now on, code that runs here is in that scope (E1 and E2).
    /// Call it on the worker's own thread.
    ///
    /// # Safety
    /// The node must live until the thread has left the scope. The thread must leave the scopes that it enters inside before this
    /// one.
    #[inline]
    pub(crate) unsafe fn enter(&self, node: *const Node) -> Entered {
        let outer = cancel::current();
        let changed = !ptr::eq(outer, node);
        if changed {
            self.extents.push(self.forks.height(), node);
            // SAFETY: by contract, the node lives until `leave` puts the outer node in its place.
            unsafe { cancel::set_current(node) };
            self.look_after_change();
        }
        Entered { outer, changed }
    }

    /// Leaves all cancel scopes: from now on, code that runs here is in none.
    #[inline]
    pub(crate) fn enter_none(&self) -> Entered {
        // SAFETY: there is no node.
        unsafe { self.enter(ptr::null()) }
    }

    /// Returns to the scope in which the thread was before (E3 and E2). Call it on the same thread, with the same forks.
    #[inline]
    pub(crate) fn leave(&self, entered: Entered) {
        if entered.changed {
            self.extents.pop();
            // SAFETY: the thread was in that scope before, and is in it again: its node lives until the thread leaves it.
            unsafe { cancel::set_current(entered.outer) };
            self.look_after_change();
        }
    }

    /// Checks for a cancellation (E2): a request that came while the thread was in another scope may have been answered there.
    fn look_after_change(&self) {
        if cancel::is_cancelled() {
            self.shared().ask();
            self.forks.interrupt();
        }
    }
}

/// Leaves a scope in a place where the work inside may have returned in a child of `fork()`, which has no worker.
#[inline]
pub(crate) fn leave(entered: Entered) {
    if !entered.changed {
        return;
    }
    if let Some(worker) = local_now().worker() {
        worker.leave(entered);
    }
}

/// Runs a short piece of code that a cancellation must not stop half way.
#[inline(never)]
pub(crate) fn outside_scopes<R>(work: impl FnOnce() -> R) -> R {
    struct Back(Option<(&'static WorkerThread, Entered)>);
    impl Drop for Back {
        fn drop(&mut self) {
            if let Some((worker, entered)) = self.0.take() {
                worker.leave(entered);
            }
        }
    }
    let worker = local_now().worker();
    let _back = Back(worker.map(|worker| (worker, worker.enter_none())));
    work()
}

impl Workers for PoolInner {
    fn interrupt(&self) {
        let _looking = self.lookers.look();
        for worker in self.victims() {
            worker.shared().ask_after_cancel();
            worker.forks.interrupt();
        }
    }
}

impl PoolInner {
    /// Returns the pool, in the form that scopes with members here need.
    pub(crate) fn as_workers(&self) -> std::sync::Weak<dyn Workers> {
        self.this.clone()
    }
}
