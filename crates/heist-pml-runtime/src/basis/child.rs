//! Starts child processes, and waits until they end.

use std::ffi::{c_char, c_int};
use std::io;

use super::exec::{Command, addresses};
use super::number::{descriptor, plain};
use super::status;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// `rt.Posix.spawn`: starts a program, with arguments in the format of `rt.Posix.exec`. If `own` is 0, the new program gets this program's
/// environment. If `search` is not 0, the system looks for the program in the folders of `PATH`. The descriptors `input` and `output`
/// become the new program's standard input and output; -1 means this program's own stream. Returns the number of the new process.
///
/// # Safety
/// `program`, `arguments` and `environment` must be strings, and `worker` must be the running worker.
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn spawn(
    worker: *mut Worker,
    program: Value,
    arguments: Value,
    environment: Value,
    own: i64,
    search: i64,
    input: i64,
    output: i64,
) -> i64 {
    // SAFETY: all three are strings.
    let command = unsafe { Command::of(program, arguments, environment, own, search) };
    let call = || start(&command?, [standard(input)?, standard(output)?]);
    // The search for the program may wait for a device. SAFETY: `worker` is the running worker, and the call came through a thunk, so the
    // call may collect. The strings were copied.
    status(unsafe { (*worker).world() }.outside(call))
}

/// Returns the descriptor for a standard stream, or `None` if the new program uses this program's own stream.
fn standard(file: i64) -> io::Result<Option<c_int>> {
    if file == -1 {
        Ok(None)
    } else {
        descriptor(file).map(Some)
    }
}

/// Makes a `Result` of the error number that a function of the `posix_spawn` family returns.
fn outcome(error: c_int) -> io::Result<()> {
    if error == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(error))
    }
}

/// Starts a program and returns the number of its process. SIGPIPE, which this process ignores, has its default action in the new process.
fn start(command: &Command, streams: [Option<c_int>; 2]) -> io::Result<i64> {
    let argv: Vec<*mut c_char> = addresses(&command.arguments)
        .iter()
        .map(|at| at.cast_mut())
        .collect();
    let own = command
        .environment
        .as_deref()
        .map(|all| -> Vec<*mut c_char> { addresses(all).iter().map(|at| at.cast_mut()).collect() });
    let mut actions = Actions::new()?;
    for (number, file) in (0..).zip(streams) {
        if let Some(file) = file {
            actions.duplicate(file, number)?;
        }
    }
    let attributes = Attributes::with_default_sigpipe()?;
    let call = if command.search {
        libc::posix_spawnp
    } else {
        libc::posix_spawn
    };
    let mut pid = 0;
    // SAFETY: the strings end in a zero, the lists end in a null, the actions and attributes were initialised, and all of them live until
    // the call has returned. No thread changes the process's environment, to which `environ` points: programs set environment variables
    // only before they start threads.
    outcome(unsafe {
        let envp = match &own {
            Some(own) => own.as_ptr(),
            None => environ.cast_const(),
        };
        call(
            &raw mut pid,
            command.program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            envp,
        )
    })?;
    Ok(i64::from(pid))
}

unsafe extern "C" {
    /// The environment of this process. The crate `libc` does not declare the C library's variable `environ`.
    static environ: *mut *mut c_char;
}

/// The changes that a new process makes to its descriptors before its program runs.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Actions> {
        // SAFETY: all zeros are a value of this C structure, which the call initialises. The structure owns only memory elsewhere, so it
        // may move.
        unsafe {
            let mut actions = std::mem::zeroed();
            outcome(libc::posix_spawn_file_actions_init(&raw mut actions))?;
            Ok(Actions(actions))
        }
    }

    /// Gives a file the descriptor `number` in the new program. This works even if the file already has the descriptor `number`.
    fn duplicate(&mut self, file: c_int, number: c_int) -> io::Result<()> {
        // SAFETY: the structure was initialised by `new`.
        outcome(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.0, file, number) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the structure was initialised by `new`, and is not used any more.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

/// The attributes of a new process.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn with_default_sigpipe() -> io::Result<Attributes> {
        // SAFETY: all zeros are values of these C structures. The first call initialises the attributes before the other calls use them,
        // and `Attributes` destroys them even if a later call fails.
        unsafe {
            let mut attributes = std::mem::zeroed();
            outcome(libc::posix_spawnattr_init(&raw mut attributes))?;
            let mut attributes = Attributes(attributes);
            let mut signals: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut signals);
            libc::sigaddset(&raw mut signals, libc::SIGPIPE);
            outcome(libc::posix_spawnattr_setsigdefault(
                &raw mut attributes.0,
                &raw const signals,
            ))?;
            outcome(libc::posix_spawnattr_setflags(
                &raw mut attributes.0,
                libc::POSIX_SPAWN_SETSIGDEF as _,
            ))?;
            Ok(attributes)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the structure was initialised by `with_default_sigpipe`, and is not used any more.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

/// The status of a child that a signal ended is this number plus the number of the signal. The status of a child that has exited is its
/// exit code.
pub(super) const SIGNALED: i64 = 0x100;
/// The status of a child that a signal stopped is this number plus the number of the signal.
const STOPPED: i64 = 0x200;

/// `rt.Posix.wait`: waits until a child of this process has ended. `which` and `options` are the arguments of `waitpid`. Returns 2^32 times
/// the number of the process, plus the status of the process. Returns 0 if no child has ended and `options` contain `WNOHANG`.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn wait(worker: *mut Worker, which: i64, options: i64) -> i64 {
    let call = || {
        let (which, options) = (plain(which)?, plain::<c_int>(options)?);
        let mut said = 0;
        let pid = loop {
            // SAFETY: the call writes only a number, into `said`.
            match unsafe { libc::waitpid(which, &raw mut said, options) } {
                -1 => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
                pid => break i64::from(pid),
            }
        };
        Ok(pid << 32 | if pid == 0 { 0 } else { ended(said) })
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. No address of an object is in
    // use.
    status(unsafe { (*worker).world() }.outside(call))
}

/// Converts a status from `waitpid` to the status of a child for the Basis.
fn ended(said: c_int) -> i64 {
    if libc::WIFSIGNALED(said) {
        SIGNALED + i64::from(libc::WTERMSIG(said))
    } else if libc::WIFSTOPPED(said) {
        STOPPED + i64::from(libc::WSTOPSIG(said))
    } else {
        i64::from(libc::WEXITSTATUS(said))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    fn run(program: &CString, script: &str, streams: [Option<c_int>; 2]) -> io::Result<i64> {
        let arguments = ["sh", "-c", script].map(|text| CString::new(text).unwrap());
        let command = Command::new(program.clone(), arguments.into(), None, true);
        let pid = start(&command, streams)?;
        let mut said = 0;
        // SAFETY: the call writes only a number, into `said`.
        let waited = unsafe { libc::waitpid(pid as c_int, &raw mut said, 0) };
        assert_eq!(i64::from(waited), pid);
        Ok(ended(said))
    }

    #[test]
    fn a_status_says_how_a_program_ended() {
        let shell = c"sh".to_owned();
        assert_eq!(run(&shell, "exit 7", [None; 2]).unwrap(), 7);
        let killed = SIGNALED + i64::from(libc::SIGKILL);
        assert_eq!(run(&shell, "kill -9 $$", [None; 2]).unwrap(), killed);
        // The test program ignores SIGPIPE, but the new program does not.
        let broken = SIGNALED + i64::from(libc::SIGPIPE);
        assert_eq!(run(&shell, "kill -PIPE $$", [None; 2]).unwrap(), broken);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let missing = c"/none/such".to_owned();
        let error = run(&missing, "", [None; 2]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    }

    #[test]
    fn streams_of_the_new_program_are_those_that_were_given() {
        let mut ends = [0; 2];
        // SAFETY: the call writes two numbers, and `ends` has room for them.
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) };
        assert_eq!(made, 0);
        let shell = c"sh".to_owned();
        assert_eq!(run(&shell, "printf abc", [None, Some(ends[1])]).unwrap(), 0);
        let mut text = [0u8; 8];
        // SAFETY: both descriptors are this test's, and the buffer has the given number of bytes.
        unsafe {
            libc::close(ends[1]);
            let n = libc::read(ends[0], text.as_mut_ptr().cast(), text.len());
            libc::close(ends[0]);
            assert_eq!(&text[..n as usize], b"abc");
        }
    }
}
