//! Use after `fork()`: in the child, the parent's pool gives a defined error and never hangs, and a
//! new pool works.
//!
//! There is only one test, because each child copies a process in which other tests would be
//! running.

#![cfg(all(target_os = "linux", not(miri)))]

use heist::{Fibers, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const FINE: i32 = 7;
const WRONG: i32 = 8;

/// Returns the exit status of a child that runs `body`, or the signal that ended it as a negative
/// number.
fn in_child(body: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `body` and ends without returning.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let fine = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: the call ends the process without running code of the parent.
        unsafe { libc::_exit(if fine { FINE } else { WRONG }) };
    }
    let since = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: the call waits for the child that was just made.
        let ended = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
        if ended == pid {
            return if libc::WIFEXITED(status) {
                libc::WEXITSTATUS(status)
            } else {
                -libc::WTERMSIG(status)
            };
        }
        if since.elapsed() > Duration::from_secs(20) {
            // SAFETY: the call kills the child that was just made.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns true if `body` panics with a message that names the fault.
fn is_refused(body: impl FnOnce()) -> bool {
    let payload = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(()) => return false,
        Err(payload) => payload,
    };
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned());
    text.is_some_and(|text| text.contains("heist") && text.contains("fork()"))
}

fn works() -> bool {
    let pool = Pool::new(2).unwrap();
    pool.install(|| heist::join(|| 3, || 4)) == (3, 4)
}

#[test]
fn fork_is_a_defined_error() {
    let pool = Pool::new(2).unwrap();
    let handle = pool.spawn(|| 1);
    pool.install(|| ());
    heist::join(|| (), || ());

    // The calls fail on a thread that is not a worker.
    assert_eq!(FINE, in_child(|| is_refused(|| pool.install(|| ()))));
    assert_eq!(
        FINE,
        in_child(|| is_refused(|| drop(pool.broadcast(|_| ()))))
    );
    assert_eq!(FINE, in_child(|| is_refused(|| drop(pool.spawn(|| ())))));
    assert_eq!(FINE, in_child(|| is_refused(|| pool.finish(|_| ()))));
    assert_eq!(
        FINE,
        in_child(|| is_refused(|| pool.finish_in_place(|f| f.spawn(|_| ()))))
    );
    assert_eq!(
        FINE,
        in_child(|| is_refused(|| {
            heist::join(|| (), || ());
        }))
    );
    assert_eq!(FINE, in_child(works));
    assert_eq!(
        FINE,
        in_child(|| {
            drop(Pool::new(1).unwrap());
            true
        })
    );

    // The calls fail on a worker: in a join, in a scope, and on the return to the pool.
    let status = pool.install(|| {
        in_child(|| {
            is_refused(|| {
                heist::join(|| (), || ());
            })
        })
    });
    assert_eq!(status, FINE);
    assert_eq!(pool.install(|| in_child(works)), FINE);
    let status = pool.install(|| {
        let parent = std::process::id();
        let status = std::sync::Mutex::new(0);
        let refused = is_refused(|| {
            heist::join(
                || {
                    // SAFETY: the child ends below.
                    let pid = unsafe { libc::fork() };
                    if pid != 0 {
                        *status.lock().unwrap() = reap(pid);
                    }
                },
                || (),
            );
        });
        if std::process::id() != parent {
            // SAFETY: the call ends the child.
            unsafe { libc::_exit(if refused { FINE } else { WRONG }) };
        }
        status.into_inner().unwrap()
    });
    assert_eq!(status, FINE);
    let in_scope = || {
        let parent = std::process::id();
        let mut status = 0;
        let refused = is_refused(|| {
            heist::finish(|f| {
                f.spawn(|_| ());
                // SAFETY: the child ends below.
                let pid = unsafe { libc::fork() };
                if pid != 0 {
                    status = reap(pid);
                }
            });
        });
        if std::process::id() != parent {
            // SAFETY: the call ends the child.
            unsafe { libc::_exit(if refused { FINE } else { WRONG }) };
        }
        status
    };
    assert_eq!(pool.install(in_scope), FINE);
    // SAFETY: the fiber keeps no value across a wait.
    let fibers = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) };
    let fibers = fibers.build().unwrap();
    assert_eq!(*fibers.spawn_fiber(in_scope).get(), FINE);
    let pid = pool.install(|| {
        // SAFETY: the child only returns to its pool, which ends it.
        unsafe { libc::fork() }
    });
    assert_eq!(reap(pid), -libc::SIGABRT);

    // The parent's pool still works.
    assert_eq!(pool.install(|| heist::join(|| 1, || 2)), (1, 2));
    drop(handle);
}

fn reap(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the call waits for a child of this test.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        -libc::WTERMSIG(status)
    }
}
