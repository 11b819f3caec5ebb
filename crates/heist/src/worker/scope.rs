//! The worker's side of scopes that can be cancelled: it records the current scope.

use crate::cancel::{self, Node, Workers};
use crate::worker::local::local_now;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::ptr;

/// The information needed to return from a scope to the one that the thread was in before.
#[derive(Debug)]
#[must_use = "the thread must leave the scope"]
pub(crate) struct Entered {
    outer: *const Node,
    /// Whether that is a different scope.
    changed: bool,
}

impl WorkerThread {
    /// E1 and E2: from now on, code that runs here is in that scope, or in none if `node` is null. Call it on the worker's own
    /// thread.
    ///
    /// # Safety
    /// The node must live until the thread has left the scope, which it does after it has left all scopes that it enters inside.
    #[inline]
    pub(crate) unsafe fn enter(&self, node: *const Node) -> Entered {
        let outer = cancel::current();
        let changed = !ptr::eq(outer, node);
        if changed {
            self.extents.push(self.forks.height(), node);
            // SAFETY: by contract it lives until `leave` puts the outer one in its place.
            unsafe { cancel::set_current(node) };
            self.look_after_change();
        }
        Entered { outer, changed }
    }

    /// Leaves all cancel scopes: code that runs here from now on is in none.
    #[inline]
    pub(crate) fn enter_none(&self) -> Entered {
        // SAFETY: no node.
        unsafe { self.enter(ptr::null()) }
    }

    /// E3 and E2: returns to the scope from before. Call it on the same thread, with the same forks.
    #[inline]
    pub(crate) fn leave(&self, entered: Entered) {
        if entered.changed {
            self.extents.pop();
            // SAFETY: the thread was in that scope before, and is again: its node lives until the thread leaves it.
            unsafe { cancel::set_current(entered.outer) };
            self.look_after_change();
        }
    }

    /// E2: a request that came while the thread was in another scope may have been answered there.
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

/// Runs code that must not be stopped half way. It is short.
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
    /// The pool, in the form that scopes with members here need.
    pub(crate) fn as_workers(&self) -> std::sync::Weak<dyn Workers> {
        self.this.clone()
    }
}
