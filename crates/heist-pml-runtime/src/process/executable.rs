//! Whether the process is an executable that `heist build` has made, and the names of the settings with which a user sets sizes.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the process is an executable that `heist build` has made. An executable has environment variables in place of the options of
/// `heist run`.
static EXECUTABLE: AtomicBool = AtomicBool::new(false);

/// Returns the name of the setting for the heap's size.
pub fn heap_setting() -> &'static str {
    if EXECUTABLE.load(Ordering::Relaxed) {
        "HEIST_HEAP"
    } else {
        "--heap"
    }
}

/// Returns the name of the setting for the stack's size. May be called in a signal handler.
pub fn stack_setting() -> &'static str {
    if EXECUTABLE.load(Ordering::Relaxed) {
        "HEIST_STACK"
    } else {
        "--stack"
    }
}

/// Notes that the process is an executable.
pub(crate) fn is_executable() {
    EXECUTABLE.store(true, Ordering::Relaxed);
}
