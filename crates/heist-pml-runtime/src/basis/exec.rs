//! Replaces this program by another program.

use std::ffi::{CString, c_char, c_int};
use std::io;
use std::sync::{Mutex, PoisonError};

use super::status;
use crate::process::files;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// `rt.Posix.exec`: replaces this program by another program. Each argument and each variable of the environment is followed by a zero
/// byte. If `own` is 0, the new program gets this program's environment. If `search` is not 0, the system looks for the program in the
/// folders of `PATH`. This function returns only if the call fails, and then returns the error.
///
/// # Safety
/// `program`, `arguments` and `environment` must be strings, and `worker` must be the running worker.
pub unsafe extern "C" fn exec(
    worker: *mut Worker,
    program: Value,
    arguments: Value,
    environment: Value,
    own: i64,
    search: i64,
) -> i64 {
    // SAFETY: all three are strings.
    let command = unsafe { Command::of(program, arguments, environment, own, search) };
    let command = match command {
        Ok(command) => command,
        Err(error) => return status(Err(error)),
    };
    let call = || become_program(&command);
    // The search for the program may wait for a device. SAFETY: `worker` is the running worker, and the call came through a thunk, so the
    // call may collect. The strings were copied.
    status(Err(unsafe { (*worker).world() }.outside(call)))
}

/// A program, its arguments, and its environment. By convention, the first argument is the program's name. If `environment` is `None`, the
/// program gets the environment of this process.
pub(super) struct Command {
    pub(super) program: CString,
    pub(super) arguments: Vec<CString>,
    pub(super) environment: Option<Vec<CString>>,
    /// Whether the system looks for the program in the folders of `PATH`.
    pub(super) search: bool,
}

impl Command {
    /// Copies the arguments of `rt.Posix.exec`, and writes out all buffered output. A program without arguments gets its name as the only
    /// argument.
    ///
    /// # Errors
    /// Returns `EINVAL` if the name of the program has a zero byte.
    ///
    /// # Safety
    /// `program`, `arguments` and `environment` must be strings.
    pub(super) unsafe fn of(
        program: Value,
        arguments: Value,
        environment: Value,
        own: i64,
        search: i64,
    ) -> io::Result<Command> {
        files::flush_all();
        // SAFETY: all three are strings, and nothing is collected before this code copies their bytes.
        let (program, arguments, environment) = unsafe {
            (
                CString::new(program.bytes()),
                split(arguments.bytes()),
                split(environment.bytes()),
            )
        };
        let program = program.map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
        let environment = (own != 0).then_some(environment);
        Ok(Command::new(program, arguments, environment, search != 0))
    }

    pub(super) fn new(
        program: CString,
        mut arguments: Vec<CString>,
        environment: Option<Vec<CString>>,
        search: bool,
    ) -> Command {
        if arguments.is_empty() {
            arguments.push(program.clone());
        }
        Command {
            program,
            arguments,
            environment,
            search,
        }
    }
}

/// Splits a string into its parts, each of which ends in a zero byte.
fn split(packed: &[u8]) -> Vec<CString> {
    packed
        .split_inclusive(|&byte| byte == 0)
        .filter_map(|part| CString::from_vec_with_nul(part.to_vec()).ok())
        .collect()
}

/// Returns the addresses of the strings, with a null after them.
pub(super) fn addresses(strings: &[CString]) -> Vec<*const c_char> {
    let all = strings.iter().map(|string| string.as_ptr());
    all.chain([std::ptr::null()]).collect()
}

/// A signal handler that does nothing.
extern "C" fn nothing(_: c_int) {}

/// Replaces this program by another program. Returns the error if the system does not start the other program. If `environment` is `None`,
/// the new program gets the environment of this process.
///
/// A new program should begin with the default action for SIGPIPE, but this process ignores the signal, and a new program would also ignore
/// it. The system restores the default action only for a signal with a handler. So this function installs a handler for SIGPIPE during the
/// call. For a strand that writes to a broken pipe during the call, the handler has the same effect as ignoring the signal.
fn become_program(command: &Command) -> io::Error {
    /// A lock that lets one strand at a time run this function. Without the lock, two strands could each restore the setting that the other
    /// strand has made.
    static ONE: Mutex<()> = Mutex::new(());
    let program = &command.program;
    let argv = addresses(&command.arguments);
    let envp = command.environment.as_deref().map(addresses);
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: all zeros are a value of this type, with no flags.
    let mut handled: libc::sigaction = unsafe { std::mem::zeroed() };
    let mut before = handled;
    handled.sa_sigaction = nothing as *const () as usize;
    handled.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: the signal may have a handler, both actions are valid, and the handler does nothing.
    unsafe { libc::sigaction(libc::SIGPIPE, &raw const handled, &raw mut before) };
    // SAFETY: the strings end in a zero, the lists end in a null, and all live until the call has returned. No thread changes the process's
    // environment, which two of these calls read: programs set environment variables only before they start threads.
    unsafe {
        match &envp {
            Some(envp) => libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr()),
            None if command.search => libc::execvp(program.as_ptr(), argv.as_ptr()),
            None => libc::execv(program.as_ptr(), argv.as_ptr()),
        }
    };
    let error = io::Error::last_os_error();
    // SAFETY: `before` is the action that the signal had.
    unsafe { libc::sigaction(libc::SIGPIPE, &raw const before, std::ptr::null_mut()) };
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the action that is set for SIGPIPE.
    fn setting() -> usize {
        // SAFETY: all zeros are a value of this type, and the call writes the whole value.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut action);
            action.sa_sigaction
        }
    }

    #[test]
    fn a_program_that_is_not_there_changes_nothing() {
        // Rust's test programs ignore the signal.
        let before = setting();
        assert_ne!(before, libc::SIG_DFL);
        for search in [false, true] {
            let command = Command::new(c"/none/such".into(), Vec::new(), None, search);
            let error = become_program(&command);
            assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
            assert_eq!(setting(), before);
        }
        let environment = Some(split(b"A=1\0"));
        let error = become_program(&Command::new(c"/".into(), Vec::new(), environment, false));
        assert_eq!(error.raw_os_error(), Some(libc::EACCES));
        assert_eq!(setting(), before);
    }

    #[test]
    fn packed_strings_are_split_at_their_ends() {
        assert_eq!(split(b""), Vec::<CString>::new());
        assert_eq!(split(b"\0"), [c"".to_owned()]);
        assert_eq!(
            split(b"a\0\0bc\0"),
            [c"a".to_owned(), c"".to_owned(), c"bc".to_owned()]
        );
    }
}
