//! Preparation of files and signals before `main`: standard streams that are closed when the program starts, and the limit of a file's
//! size.
//!
//! Rust's startup code opens `/dev/null` in place of closed streams, so all output of `heist run` would be lost while the exit code is 0.
//! This module opens the streams earlier, in a function that the system's loader calls before `main`.

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = prepare;

extern "C" fn prepare() {
    // SAFETY: the loader calls this before `main`, and no earlier code starts a thread.
    unsafe { heist_pml_runtime::start::open_standard_streams() };
    heist_pml_runtime::start::survive_large_files();
}
