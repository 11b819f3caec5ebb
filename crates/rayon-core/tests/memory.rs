//! Tests that a program's memory stays constant if its data does not grow.
#![cfg(target_os = "linux")]

use rayon_core::{ThreadPoolBuilder, scope};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the memory of this process, in KiB.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4
}

/// Checks jobs that a foreign thread spawns into a scope. The scope's owner runs these jobs. No job may stay in the pool's queue, although
/// no worker of the pool ever looks into this queue.
#[test]
fn of_a_pool_whose_scopes_run_jobs_from_outside() {
    const STEPS: usize = 40_000;
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let ran = AtomicUsize::new(0);
    let run = |steps| {
        for _ in 0..steps {
            scope(|s| {
                std::thread::scope(|threads| {
                    threads.spawn(|| {
                        s.spawn(|_| {
                            ran.fetch_add(1, Ordering::Relaxed);
                        });
                    });
                });
            });
        }
    };
    let grown = pool.install(|| {
        run(STEPS / 10);
        let before = resident();
        run(STEPS);
        resident().saturating_sub(before)
    });
    assert_eq!(ran.into_inner(), STEPS + STEPS / 10);
    assert!(grown < 1024, "grown by {grown} KiB");
}
