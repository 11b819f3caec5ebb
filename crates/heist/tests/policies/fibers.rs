//! Checks programs under each policy, on pools with fibers.

mod order;
mod programs;
mod stealing;

use heist::policy::SpawnPolicy;
use heist::{Fibers, Finish, Pool, finish, finish_with, join};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

const ALL: [SpawnPolicy; 4] = [
    SpawnPolicy::HelpFirst,
    SpawnPolicy::WorkFirst,
    SpawnPolicy::WorkSharing,
    SpawnPolicy::Adaptive,
];
const SIZES: [usize; 4] = [1, 2, 3, 8];

fn pool(threads: usize) -> Pool {
    // SAFETY: no code of these tests keeps a value that belongs to a thread across a spawn.
    let builder = unsafe { Pool::builder().threads(threads).fibers(Fibers::new()) };
    builder.build().unwrap()
}

/// Runs a test with every policy on pools of every size.
fn everywhere(test: impl Fn(&Pool, SpawnPolicy)) {
    for threads in SIZES {
        let pool = pool(threads);
        for policy in ALL {
            test(&pool, policy);
            assert_eq!(pool.install(|| 5), 5, "{policy} on {threads}");
        }
    }
}

/// Returns the current thread. The function is not inlined: see `Builder::fibers`.
#[inline(never)]
fn here() -> ThreadId {
    thread::current().id()
}

/// Sleeps long enough for a hungry worker to steal.
fn nap() {
    thread::sleep(Duration::from_micros(300));
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}
