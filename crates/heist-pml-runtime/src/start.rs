//! Start of an executable: its `main`, which code generation makes, calls [`heist_pml_start`].

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use super::basis::system;
use super::launch::{self, Launch};
use super::program::{self, Description, IMPOSSIBLE};

/// Runs the program of an executable to its end. Returns the exit code.
///
/// # Safety
/// Called once, by `main`, with its arguments, before any other thread; the description is the executable's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heist_pml_start(
    count: c_int,
    words: *const *const c_char,
    program: *const Description,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { prepare() };
    // SAFETY: so many strings, says the C standard.
    let mut line = (0..usize::try_from(count).unwrap_or(0)).map(|index| unsafe {
        OsStr::from_bytes(CStr::from_ptr(*words.add(index)).to_bytes()).to_owned()
    });
    let name: OsString = line.next().unwrap_or_default();
    system::set_command_line(name, line);
    match Launch::of_executable() {
        // SAFETY: the caller's promise; it runs once, and its code is that of the process.
        Ok(launch) => launch.run(|worker| unsafe { program::run_to_end(&*program, worker) }),
        Err(why) => {
            launch::complain(&why);
            IMPOSSIBLE
        }
    }
}

/// Does the work of Rust's own `main` before that of a program, on which functions of the Basis rely.
///
/// # Safety
/// There are no other threads.
unsafe fn prepare() {
    // SAFETY: plain system calls, and no other thread opens or closes a file meanwhile.
    unsafe {
        // A write to a closed pipe returns an error and does not end the process.
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // Files that the program opens must not become its standard ones.
        for file in 0..3 {
            if libc::fcntl(file, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
}
