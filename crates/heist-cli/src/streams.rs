//! Files and signals before `main`: standard streams that are closed when the program starts, and the limit of a file's size.
//!
//! Rust's own start opens `/dev/null` in their place, where all output of `heist run` would be lost while the exit code is 0. So this opens
//! them first, in a function that the system's loader calls before `main`.

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = prepare;

extern "C" fn prepare() {
    // SAFETY: the loader calls this before `main`, and nothing that comes earlier starts a thread.
    unsafe { heist_pml_runtime::start::open_standard_streams() };
    heist_pml_runtime::start::survive_large_files();
}
