//! Prepares the process before `main`: opens standard streams that are closed when the program starts, and handles the signal for the limit
//! of a file's size.
//!
//! Rust's startup code opens `/dev/null` in place of closed streams. All output of `heist run` would then be lost, although the program
//! would end with the exit code of success. This module opens the streams before Rust's startup code runs, in a function that the system's
//! loader calls before `main`.

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = prepare;

extern "C" fn prepare() {
    // SAFETY: the loader calls this function before `main`, and no earlier code starts a thread.
    unsafe { heist_pml_runtime::launch::start::open_standard_streams() };
    heist_pml_runtime::launch::start::survive_large_files();
}
