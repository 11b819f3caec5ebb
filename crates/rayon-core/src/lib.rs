//! The interface of rayon-core 1.13 on Heist's scheduler.
//!
//! An entry `[patch.crates-io]` in an application's manifest puts this package in the place of rayon-core, for `rayon`
//! and all crates built on it: see the README. The package has exactly the names of rayon-core, and keeps the promises
//! of rayon-core. Its workers wait in a different way; the README describes how.

mod broadcast;
mod builder;
mod configuration;
mod error;
mod fifo;
mod job;
mod join;
mod registry;
mod scope;
mod spawn;
mod thread_pool;
mod trace;
mod unwind;

pub use self::broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use self::builder::ThreadPoolBuilder;
#[allow(deprecated)]
pub use self::configuration::{Configuration, initialize};
pub use self::error::ThreadPoolBuildError;
pub use self::join::{join, join_context};
pub use self::registry::ThreadBuilder;
pub use self::scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use self::spawn::{spawn, spawn_fifo};
pub use self::thread_pool::{
    ThreadPool, Yield, current_thread_has_pending_tasks, current_thread_index, yield_local,
    yield_now,
};

use self::error::ErrorKind;
use std::marker::PhantomData;

/// Returns the maximum number of threads of a pool. A pool never has more threads, even if the
/// program requests more.
pub fn max_num_threads() -> usize {
    heist::MAX_THREADS
}

/// Returns the number of threads of the current pool: the thread's own pool if the thread is a worker, and otherwise the
/// global pool. Starts the global pool if necessary.
#[inline]
pub fn current_num_threads() -> usize {
    registry::with_current(registry::Registry::num_threads)
}

/// The argument of the closures of [`join_context`].
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// Keeps this value on its thread (the type is not `Send`), because the flag is right only for
    /// this thread.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline]
    fn new(migrated: bool) -> Self {
        FnContext {
            migrated,
            marker: PhantomData,
        }
    }

    /// Returns true if the closure runs on a thread other than that of the caller of `join_context`. Also returns true if the closure runs
    /// on the caller's thread, but was taken from a queue.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}
