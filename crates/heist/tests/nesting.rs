//! Checks that forks nest as deep as the current stack allows, no matter which stack that is.

#![cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]

use corosensei::stack::{STACK_ALIGNMENT, Stack, StackPointer};
use heist::{Fibers, Pool};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// The environment variable that tells a process to nest its forks too deeply, and so to end.
const TOO_DEEP: &str = "HEIST_TEST_TOO_DEEP";

/// Forks at each of `levels` levels.
fn deep(levels: usize) -> usize {
    if levels == 0 {
        return 0;
    }
    let (below, here) = heist::join(|| deep(levels - 1), || 1);
    below + here
}

/// A stack on the heap.
struct Own(Box<[u8]>);

// SAFETY: while the stack exists, its memory belongs to it alone, and both ends are aligned. (The stack has no guard page, but it
// is large enough.)
unsafe impl Stack for Own {
    fn base(&self) -> StackPointer {
        let end = self.0.as_ptr_range().end.addr();
        StackPointer::new(end / STACK_ALIGNMENT * STACK_ALIGNMENT).unwrap()
    }

    fn limit(&self) -> StackPointer {
        let begin = self.0.as_ptr().addr();
        StackPointer::new(begin.next_multiple_of(STACK_ALIGNMENT)).unwrap()
    }
}

/// Forks at each level. Moves to another stack every thousand levels, as programs that grow their stacks do.
fn deep_on_many_stacks(levels: usize) -> usize {
    let grows = levels % 1000 == 0 && levels > 0;
    let go_on = || {
        if levels == 0 {
            return 0;
        }
        let (below, here) = heist::join(|| deep_on_many_stacks(levels - 1), || 1);
        below + here
    };
    if grows {
        return corosensei::on_stack(Own(vec![0; 2 << 20].into()), go_on);
    }
    go_on()
}

fn pool_with_larger_fibers(threads: usize) -> Pool {
    let pool = Pool::builder().threads(threads).stack_size(64 << 10);
    // SAFETY: the fibers never wait, so they keep no value that belongs to a thread across a wait.
    let pool = unsafe { pool.fibers(Fibers::new().stack_size(64 << 20)) };
    pool.build().unwrap()
}

#[test]
fn a_fiber_forks_deeper_than_its_thread_could() {
    for threads in [1, 2, 8] {
        let pool = pool_with_larger_fibers(threads);
        let fiber = pool.spawn_fiber(|| deep(50_000));
        assert_eq!(*fiber.get(), 50_000);
    }
}

#[test]
fn forks_nest_on_stacks_of_the_programs_own() {
    for threads in [1, 2, 8] {
        let pool = Pool::builder().threads(threads).stack_size(256 << 10);
        let pool = pool.build().unwrap();
        assert_eq!(pool.install(|| deep_on_many_stacks(200_000)), 200_000);
    }
}

/// The process ends with a message that has the number of forks if the address space is too small for more forks, even if the thread's
/// stack would allow more forks.
#[test]
fn a_fork_for_which_there_is_no_room_ends_the_process_with_a_line() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "too_deep", "--ignored", "--nocapture"])
        .env(TOO_DEEP, "")
        // The allocator must not reserve address space for another arena.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    // The deque has a slot for each 16 bytes of 64 KiB, and 4096 more slots.
    let line = "heist: 8192 forks are nested on one worker, which has no room for more; below some depth, call instead of forking\n";
    assert!(said.ends_with(line), "{said}");
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn too_deep() {
    if std::env::var_os(TOO_DEEP).is_none() {
        return;
    }
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let used: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    let soft_limit = |bytes: u64| {
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: the limit lives during the call.
        let result = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
        assert_eq!(result, 0);
    };
    // The address space is enough for the queues of tasks and some forks, but not for four million forks.
    soft_limit(used * 4096 + (100 << 20));
    let pool = pool_with_larger_fibers(1);
    pool.install(|| ());
    soft_limit(libc::RLIM_INFINITY);
    pool.spawn_fiber(|| deep(50_000)).get();
}
