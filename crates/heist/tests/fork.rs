//! Checks the use of Heist after `fork()`. In the child, the parent's pool reports a defined error and never hangs. A new pool
//! works.
//!
//! The file has only one test because each child copies the whole process, including any other running test.

#![cfg(all(target_os = "linux", not(miri)))]

use heist::{Fibers, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const FINE: i32 = 7;
const WRONG: i32 = 8;

/// Runs `body` in a child process. Returns the exit status of the child. If a signal ended the child, returns the negative number
/// of the signal.
fn in_child(body: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child only runs `body`, and ends without returning from this function.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let fine = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: `_exit` ends the child without running exit handlers or destructors of the parent.
        unsafe { libc::_exit(if fine { FINE } else { WRONG }) };
    }
    let since = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: `pid` is the child that this function has made and not yet waited for, and `status` lives during the call.
        let ended = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
        if ended == pid {
            return if libc::WIFEXITED(status) {
                libc::WEXITSTATUS(status)
            } else {
                -libc::WTERMSIG(status)
            };
        }
        if since.elapsed() > Duration::from_secs(20) {
            // SAFETY: `pid` is the child that this function has made and not yet waited for, so the signal reaches no other
            // process.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns true if `body` panics with a message that names `fork()`.
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

    // On a thread that is not a worker, the calls fail.
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

    // On a worker, the calls fail in a join, in a scope, and on the return to the pool.
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
                    // SAFETY: the child ends below, before it returns to the pool.
                    let pid = unsafe { libc::fork() };
                    if pid != 0 {
                        *status.lock().unwrap() = reap(pid);
                    }
                },
                || (),
            );
        });
        if std::process::id() != parent {
            // SAFETY: `_exit` ends the child without running exit handlers or destructors of the parent.
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
                // SAFETY: the child ends below, before it returns to the pool.
                let pid = unsafe { libc::fork() };
                if pid != 0 {
                    status = reap(pid);
                }
            });
        });
        if std::process::id() != parent {
            // SAFETY: `_exit` ends the child without running exit handlers or destructors of the parent.
            unsafe { libc::_exit(if refused { FINE } else { WRONG }) };
        }
        status
    };
    assert_eq!(pool.install(in_scope), FINE);
    // SAFETY: the fiber does not wait, so it keeps no value that belongs to a thread across a wait.
    let fibers = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) };
    let fibers = fibers.build().unwrap();
    assert_eq!(*fibers.spawn_fiber(in_scope).get(), FINE);
    let pid = pool.install(|| {
        // SAFETY: the child only returns to its pool, which ends the child.
        unsafe { libc::fork() }
    });
    assert_eq!(reap(pid), -libc::SIGABRT);

    // The parent's pool still works.
    assert_eq!(pool.install(|| heist::join(|| 1, || 2)), (1, 2));
    drop(handle);
}

fn reap(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: `pid` is a child of this test, and `status` lives during the call.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        -libc::WTERMSIG(status)
    }
}
