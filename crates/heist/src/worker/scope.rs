//! The functions with which a worker enters and leaves cancel scopes.

use crate::cancel::{self, Node, Workers};
use crate::worker::local::local_now;
use crate::worker::pool::inner::PoolInner;
use crate::worker::thread::WorkerThread;
use std::ptr;

/// The data that a thread needs to return from a cancel scope to the previous scope.
#[derive(Debug)]
#[must_use = "the thread must leave the scope"]
pub(crate) struct Entered {
    outer: *const Node,
    /// True if the scopes differ.
    changed: bool,
}

impl WorkerThread {
    /// Enters the cancel scope of `node`, or leaves all scopes if `node` is null. From now on, code that runs on this thread belongs to
    /// that scope. The function does step E1 (record the scope) and step E2 (check its flag) of the protocol of cancellation. Call this
    /// function on the worker's own thread.
    ///
    /// # Safety
    /// The node must live until the thread has left the scope. If the thread enters further scopes inside of this scope, it must leave
    /// these inner scopes before it leaves this scope.
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

    /// Leaves all cancel scopes. From now on, code that runs on this thread belongs to no scope.
    #[inline]
    pub(crate) fn enter_none(&self) -> Entered {
        // SAFETY: there is no node.
        unsafe { self.enter(ptr::null()) }
    }

    /// Returns to the cancel scope in which the thread was before [`enter`](Self::enter) (step E3 of the protocol of cancellation), and
    /// checks whether that outer scope was cancelled (step E2). Call this function on the same thread, at the same height of the fork
    /// deque.
    #[inline]
    pub(crate) fn leave(&self, entered: Entered) {
        if entered.changed {
            self.extents.pop();
            // SAFETY: the thread was in the outer scope before `enter`, and has not left the outer scope. The node of that scope lives
            // until the thread leaves it.
            unsafe { cancel::set_current(entered.outer) };
            self.look_after_change();
        }
    }

    /// Checks whether the new scope was cancelled (step E2), because the worker may have answered the canceller's request while it was in
    /// another scope.
    fn look_after_change(&self) {
        if cancel::is_cancelled() {
            self.shared().ask();
            self.forks.interrupt();
        }
    }
}

/// Leaves a scope. The thread need not be a worker any more, because the work in the scope may have returned in a child of `fork()`.
#[inline]
pub(crate) fn leave(entered: Entered) {
    if !entered.changed {
        return;
    }
    if let Some(worker) = local_now().worker() {
        worker.leave(entered);
    }
}

/// Runs a short piece of code that a cancellation must not stop halfway.
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
    /// Returns a weak reference to the pool, for cancel scopes with work in this pool.
    pub(crate) fn as_workers(&self) -> std::sync::Weak<dyn Workers> {
        self.this.clone()
    }
}
