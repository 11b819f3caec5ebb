//! Start of an executable: its `main`, which code generation makes, calls [`heist_pml_start`].

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::basis::system;
use crate::code::description::Description;
use crate::launch::program;
use crate::launch::settings::Launch;
use crate::process::exit::IMPOSSIBLE;
use crate::run::finish;

/// Runs the program of an executable to its end, and returns the exit code.
///
/// # Safety
/// `main` must call this function once, with its arguments, before any other thread starts. The description must be the executable's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heist_pml_start(
    count: c_int,
    words: *const *const c_char,
    program: *const Description,
) -> c_int {
    // SAFETY: `main` has called this function before any other thread was started.
    unsafe { prepare() };
    // SAFETY: the C standard guarantees this number of strings.
    let mut line = (0..usize::try_from(count).unwrap_or(0)).map(|index| unsafe {
        OsStr::from_bytes(CStr::from_ptr(*words.add(index)).to_bytes()).to_owned()
    });
    let name: OsString = line.next().unwrap_or_default();
    system::set_command_line(name, line);
    match Launch::of_executable() {
        // SAFETY: `program` points to the description in the executable, which runs once; its code and tables stay as long as the process.
        Ok(launch) => launch.run(|worker| unsafe { program::run_to_end(&*program, worker) }),
        Err(why) => {
            finish::complain(&why);
            IMPOSSIBLE
        }
    }
}

/// Prepares the process as Rust's own `main` would, because functions of the Basis rely on these preparations.
///
/// # Safety
/// The process must have no other threads during the call.
unsafe fn prepare() {
    // SAFETY: a plain system call; no thread writes to a pipe meanwhile. A write to a closed pipe returns an error from now on, and does
    // not end the process.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    survive_large_files();
    // SAFETY: there are no other threads, so none opens or closes a file meanwhile.
    unsafe { open_standard_streams() };
}

/// Makes a write beyond the limit of the file size (`ulimit -f`) return an error instead of ending the process.
pub fn survive_large_files() {
    extern "C" fn nothing(_: c_int) {}
    // SAFETY: plain system calls with valid arguments; the handler does nothing. Programs that this process starts do not inherit the
    // handler.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGXFSZ, std::ptr::null(), &raw mut before);
        if before.sa_sigaction == libc::SIG_DFL {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = nothing as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Opens the standard streams that the process lacks, so that no file of the program gets the number of a standard stream. The standard
/// input is then empty, and the standard error discards its text. Each write to the standard output fails, as if the output were closed.
/// (Rust's own `main` would send the text to `/dev/null`, and the writes would seem to succeed.)
///
/// # Safety
/// The process must have no other threads, because they could open or close a file during the call.
pub unsafe fn open_standard_streams() {
    for file in 0..3 {
        let how = if file == libc::STDOUT_FILENO {
            libc::O_RDONLY
        } else {
            libc::O_RDWR
        };
        // SAFETY: plain system calls with valid arguments. The number is the lowest that is free, as the numbers below it are open, and by
        // contract no other thread takes it.
        unsafe {
            if libc::fcntl(file, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), how);
            }
        }
    }
}
