//! System calls that may block.

use std::sync::atomic::Ordering;

use crate::measure::trace;
use crate::state::pool;
use crate::state::world::World;
use crate::wait::give;

impl World {
    /// Makes a system call that may block.
    pub fn outside<R>(&self, call: impl FnOnce() -> R) -> R {
        if self.threads.are_used() {
            give_all();
        }
        // SeqCst: see `thread/stuck.rs`.
        self.threads.blocked.fetch_add(1, Ordering::SeqCst);
        self.end();
        trace::begins(&trace::OUTSIDE, 0);
        let result = call();
        trace::ends(0);
        self.begin();
        self.threads.blocked.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

/// Makes this thread's worker give all its ready strands to other workers, if this thread belongs to a pool.
fn give_all() {
    let worker = pool::current();
    if !worker.is_null() {
        // SAFETY: the worker is this thread's, and a function of the runtime that was called through a thunk is about to wait for the
        // system.
        unsafe { give::give_all(worker) };
    }
}
