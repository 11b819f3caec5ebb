//! The stack of the main thread, which the system may limit (`ulimit -s`).

use std::process::ExitCode;
use std::thread;

use crate::failure::Failure;

/// Bytes of stack that are enough for all commands. Those that need more use threads with larger stacks.
const ENOUGH: u64 = 4 << 20;
/// Bytes of the stack that replaces a smaller one: most systems give the main thread as many.
const STACK: usize = 8 << 20;

/// Whether the main thread has a stack of [`ENOUGH`] bytes.
#[cfg(unix)]
fn is_enough() -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a question, whose answer goes into a whole `rlimit`.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    result != 0 || limit.rlim_cur >= ENOUGH
}

#[cfg(not(unix))]
fn is_enough() -> bool {
    true
}

/// Runs the program on the main thread, or on another one if the main thread has little stack. It does not always use another one,
/// because a process with one thread starts its first pool sooner.
pub(crate) fn with_enough(run: fn() -> ExitCode) -> ExitCode {
    if is_enough() {
        return run();
    }
    // Messages of panics have the thread's name.
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
