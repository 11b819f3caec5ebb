//! Checks a work-first scope whose tasks get no stacks, because the memory is too small.

#![cfg(target_os = "linux")]

use heist::policy::SpawnPolicy;
use heist::{Fibers, Pool};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

const GIB: u64 = 1 << 30;

/// Limits the address space of the process to its present size plus `more` bytes of memory.
fn limit(more: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let used: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    let limit = libc::rlimit {
        rlim_cur: used * 4096 + more,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` lives during the call, which only reads it.
    let result = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(result, 0);
}

/// The memory is enough for two stacks: the stack of a scope's body, and the stack of the first task that the body spawns. The first task
/// spawns further tasks. The further tasks run help-first on the worker's own stack, and spawn tasks themselves.
#[test]
fn tasks_without_stacks_are_counted_like_others() {
    // SAFETY: the code below keeps no value that belongs to a thread across a spawn.
    let builder = unsafe {
        Pool::builder()
            .threads(1)
            .fibers(Fibers::new().stack_size(GIB as usize))
    };
    let pool = builder.build().unwrap();
    pool.install(|| ());
    limit(5 * GIB / 2);
    let (ended, waits) = channel();
    std::thread::spawn(move || {
        let ran = AtomicU32::new(0);
        let ran = &ran;
        let count = || {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        pool.finish_with(SpawnPolicy::WorkFirst, |f| {
            f.spawn(move |f| {
                // A task with an open fork cannot move to another thread.
                heist::join(
                    || {
                        f.spawn(move |f| {
                            f.spawn(move |_| count());
                            f.spawn(move |_| count());
                            count();
                        });
                    },
                    || (),
                );
            });
        });
        ended.send(ran.load(Ordering::Relaxed)).unwrap();
    });
    let ran = waits.recv_timeout(Duration::from_secs(20));
    assert_eq!(ran.expect("the scope ends"), 3);
}
