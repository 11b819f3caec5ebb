//! A work-first scope for whose tasks there is no memory for stacks.

#![cfg(target_os = "linux")]

use heist::policy::SpawnPolicy;
use heist::{Fibers, Pool};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

const GIB: u64 = 1 << 30;

/// Limits the address space of the process to its present size and `more` bytes.
fn limit(more: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let used: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    let limit = libc::rlimit {
        rlim_cur: used * 4096 + more,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the limit lives for the call.
    let result = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(result, 0);
}

/// There is memory for two stacks: the body's and its task's. The help-first spawns of the task run
/// above the body, on the worker's stack, and spawn in turn.
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
                // A task with an open fork cannot leave its thread.
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
