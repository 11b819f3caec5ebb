//! The stack of the main thread, which the system may limit (`ulimit -s`).

use std::process::ExitCode;
use std::thread;

use crate::failure::Failure;

/// The size in bytes of a stack that is enough for all commands. Code that needs a larger stack runs on threads of its own.
const ENOUGH: u64 = 4 << 20;
/// The size in bytes of the stack that replaces a smaller stack. Most systems give the main thread a stack of the same size.
const STACK: usize = 8 << 20;

/// Returns true if the main thread has a stack of at least [`ENOUGH`] bytes.
#[cfg(unix)]
fn is_enough() -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `getrlimit` only writes to the pointer, which refers to a live `rlimit` for the duration of the call.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    result != 0 || limit.rlim_cur >= ENOUGH
}

#[cfg(not(unix))]
fn is_enough() -> bool {
    true
}

/// Runs the program on the main thread, or on a new thread if the main thread has a small stack. If possible, the function uses no new
/// thread, because a process with only one thread starts its first pool sooner.
pub(crate) fn with_enough(run: fn() -> ExitCode) -> ExitCode {
    if is_enough() {
        return run();
    }
    // The thread is named like the main thread, because messages of panics show the name.
    let main = thread::Builder::new().name("main".into()).stack_size(STACK);
    match main.spawn(run) {
        // A panic has printed its message.
        Ok(thread) => thread.join().unwrap_or_else(|_| ExitCode::from(101)),
        Err(error) => Failure::Request(format!(
            "the stack has less than {} MiB (see `ulimit -s`), and no thread with a larger one can be started: {error}",
            ENOUGH >> 20
        ))
        .report(),
    }
}
