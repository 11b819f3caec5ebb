//! The primitives of `Posix`: operations on files by their descriptors, on processes, and queries about the system.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStringExt;

pub use super::child::{spawn, wait};
pub use super::exec::exec;
use super::number::{descriptor, owner, plain, process};
use super::{status, text};
use crate::state::worker::Worker;
use crate::value::object::Value;

unsafe extern "C" {
    /// The crate `libc` does not declare this function.
    fn getlogin_r(name: *mut c_char, length: usize) -> c_int;
}

/// Returns the result of a system call that gives -1 for an error.
pub(super) fn outcome(result: impl Into<i64>) -> io::Result<i64> {
    match result.into() {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// Returns the path that a string names, for a system call.
///
/// # Errors
/// Returns `EINVAL` if the path has a zero byte.
///
/// # Safety
/// `string` must be a string.
pub(super) unsafe fn name(string: Value) -> io::Result<CString> {
    // SAFETY: the value is a string, and nothing is collected before this code copies its bytes.
    CString::new(unsafe { string.bytes() }).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

macro_rules! of_numbers {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $call:expr;)*) => {
        $(
            $(#[$doc])*
            pub extern "C" fn $name(_: *mut Worker $(, $arg: i64)*) -> i64 {
                // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
                let call = || outcome(unsafe { $call });
                status(call())
            }
        )*
    };
}

of_numbers! {
    /// `rt.Posix.dup`: makes another descriptor for a file: the lowest free descriptor that is at least `least`.
    dup(file, least) = libc::fcntl(descriptor(file)?, libc::F_DUPFD, plain::<c_int>(least)?);
    /// `rt.Posix.umask`: sets the mask for the modes of new files, and returns the former mask.
    umask(mode) = libc::umask(plain(mode)?);
    /// `rt.Posix.control`: performs `F_GETFD`, `F_SETFD`, `F_GETFL` or `F_SETFL`.
    control(file, what, argument) = libc::fcntl(descriptor(file)?, plain(what)?, plain::<c_int>(argument)?);
    /// `rt.Posix.isTerminal`: returns 1 for a terminal, otherwise an error.
    is_terminal(file) = if libc::isatty(descriptor(file)?) == 1 { 1 } else { -1 };
    /// `rt.Posix.kill`: sends a signal.
    kill(to, signal) = libc::kill(process(to)?, plain(signal)?);
    /// `rt.Posix.setSession`: begins a session.
    set_session() = libc::setsid();
    /// `rt.Posix.setGroup`: moves a process into a group of processes.
    set_group(of, group) = libc::setpgid(process(of)?, plain(group)?);
    /// `rt.Posix.setUser`: sets the user of the process.
    set_user(user) = libc::setuid(plain(user)?);
    /// `rt.Posix.setUserGroup`: sets the user group of the process.
    set_user_group(group) = libc::setgid(plain(group)?);
    /// `rt.Posix.identity`: returns the process (0), parent (1), group (2), user (3, effective 4), or user group (5, effective 6).
    identity(which) = match which {
        0 => i64::from(libc::getpid()),
        1 => i64::from(libc::getppid()),
        2 => i64::from(libc::getpgrp()),
        3 => i64::from(libc::getuid()),
        4 => i64::from(libc::geteuid()),
        5 => i64::from(libc::getgid()),
        _ => i64::from(libc::getegid()),
    };
}

macro_rules! of_files {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $call:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `worker` must be the running worker.
            pub unsafe extern "C" fn $name(worker: *mut Worker $(, $arg: i64)*) -> i64 {
                // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
                let call = || outcome(unsafe { $call });
                // The call may wait for a device.
                // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The closure uses
                // numbers only.
                status(unsafe { (*worker).world() }.outside(call))
            }
        )*
    };
}

of_files! {
    /// `rt.Posix.close`: closes a descriptor.
    close(file) = libc::close(descriptor(file)?);
    /// `rt.Posix.seek`: moves the position in a file, relative to the start (0), the current position (1), or the end (2).
    seek(file, to, from) = libc::lseek(descriptor(file)?, to, plain(from)?);
    /// `rt.Posix.truncate`: sets the length of a file.
    truncate(file, length) = libc::ftruncate(descriptor(file)?, length);
    /// `rt.Posix.sync`: writes a file to its disk.
    sync(file) = libc::fsync(descriptor(file)?);
    /// `rt.Posix.dup2`: makes another descriptor for a file, with a given number.
    dup2(file, other) = libc::dup2(descriptor(file)?, descriptor(other)?);
    /// `rt.Posix.fchmod`: sets the mode of an open file.
    fchmod(file, mode) = libc::fchmod(descriptor(file)?, plain(mode)?);
    /// `rt.Posix.fchown`: sets the user and the group that own an open file.
    fchown(file, user, group) = libc::fchown(descriptor(file)?, owner(user)?, owner(group)?);
}

/// Returns a limit of the system, or -1 if the system has no such limit.
fn limit(query: impl FnOnce() -> i64) -> i64 {
    // SAFETY: the pointer leads to a variable of this thread.
    unsafe { *libc::__errno_location() = 0 };
    let result = query();
    // SAFETY: the pointer leads to a variable of this thread.
    match unsafe { *libc::__errno_location() } {
        0 => result,
        // None of these calls reports the error 1, whose negative would mean that there is no limit.
        error => -i64::from(error.max(2)),
    }
}

/// `rt.Posix.sysconf`: returns a limit of the system, or -1 if the system has no such limit.
pub extern "C" fn sysconf(_: *mut Worker, what: i64) -> i64 {
    // SAFETY: the call takes only a number, and returns an error for an invalid number.
    status(plain(what).map(|what| limit(|| unsafe { libc::sysconf(what) })))
}

/// `rt.Posix.fpathconf`: returns a limit of an open file, or -1 if the file has no such limit.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn fpathconf(worker: *mut Worker, file: i64, what: i64) -> i64 {
    let call = || {
        let (file, what) = (descriptor(file)?, plain(what)?);
        // SAFETY: the call takes only numbers, and returns an error for invalid numbers.
        Ok(limit(|| unsafe { libc::fpathconf(file, what) }))
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The closure uses numbers only.
    status(unsafe { (*worker).world() }.outside(call))
}

macro_rules! of_path {
    ($($(#[$doc:meta])* $name:ident($path:ident $(, $arg:ident)*) = $call:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `path` must be a string, and `worker` must be the running worker.
            pub unsafe extern "C" fn $name(worker: *mut Worker, path: Value $(, $arg: i64)*) -> i64 {
                // SAFETY: the value is a string, and nothing is collected before `name` has copied it.
                let path = unsafe { name(path) };
                let call = || {
                    let path = path?;
                    let $path = path.as_ptr();
                    // SAFETY: the path ends in a zero and lives until the call has returned. The other arguments are numbers.
                    unsafe { $call }
                };
                // The call may wait for a device.
                // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The path was copied.
                status(unsafe { (*worker).world() }.outside(call))
            }
        )*
    };
}

of_path! {
    /// `rt.Posix.chmod`: sets the mode of a file.
    chmod(path, mode) = outcome(libc::chmod(path, plain(mode)?));
    /// `rt.Posix.mkdir`: makes a folder.
    make_folder(path, mode) = outcome(libc::mkdir(path, plain(mode)?));
    /// `rt.Posix.mkfifo`: makes a named pipe.
    make_fifo(path, mode) = outcome(libc::mkfifo(path, plain(mode)?));
    /// `rt.Posix.chown`: sets the user and the group that own a file.
    chown(path, user, group) = outcome(libc::chown(path, owner(user)?, owner(group)?));
    /// `rt.Posix.utime`: sets the times of access and of modification, in seconds.
    utime(path, access, modification) = {
        let time = |tv_sec| libc::timespec { tv_sec, tv_nsec: 0 };
        let times = [time(access), time(modification)];
        outcome(libc::utimensat(libc::AT_FDCWD, path, times.as_ptr(), 0))
    };
    /// `rt.Posix.pathconf`: returns a limit of a file, or -1 if the file has no such limit.
    pathconf(path, what) = {
        let what = plain(what)?;
        Ok(limit(|| libc::pathconf(path, what)))
    };
    /// `rt.Posix.open`: returns a descriptor. If the file is a named pipe, the call waits until the pipe's other end is open.
    open(path, flags, mode) = {
        // A program that replaces this program, or that this program starts, inherits only the descriptors that this program gives to it
        // explicitly.
        let flags = plain::<c_int>(flags)? | libc::O_CLOEXEC;
        outcome(libc::open(path, flags, plain::<libc::mode_t>(mode)?))
    };
}

macro_rules! of_paths {
    ($($(#[$doc:meta])* $name:ident = $call:path;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `old` and `new` must be strings, and `worker` must be the running worker.
            pub unsafe extern "C" fn $name(worker: *mut Worker, old: Value, new: Value) -> i64 {
                // SAFETY: both are strings, and nothing is collected before `name` has copied them.
                let (old, new) = unsafe { (name(old), name(new)) };
                let call = || {
                    let (old, new) = (old?, new?);
                    // SAFETY: the paths end in a zero and live until the call has returned.
                    outcome(unsafe { $call(old.as_ptr(), new.as_ptr()) })
                };
                // The call may wait for a device.
                // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The paths were
                // copied.
                status(unsafe { (*worker).world() }.outside(call))
            }
        )*
    };
}

of_paths! {
    /// `rt.Posix.link`: gives a file a second name.
    link = libc::link;
    /// `rt.Posix.symlink`: makes a symbolic link.
    symlink = libc::symlink;
}

/// Packs numbers into a string, 8 bytes each, the lowest byte first.
fn packed(numbers: &[i64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn facts(call: impl FnOnce(*mut libc::stat) -> c_int) -> io::Result<Vec<u8>> {
    // SAFETY: all zeros are a value of this type.
    let mut facts: libc::stat = unsafe { std::mem::zeroed() };
    if call(&raw mut facts) != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(packed(&[
        i64::from(facts.st_mode),
        facts.st_ino as i64,
        facts.st_dev as i64,
        facts.st_nlink as i64,
        i64::from(facts.st_uid),
        i64::from(facts.st_gid),
        facts.st_size,
        facts.st_atime,
        facts.st_mtime,
        facts.st_ctime,
    ]))
}

/// `rt.Posix.stat`: returns information about a file, or about the link itself if `follow` is 0, as packed numbers.
///
/// # Safety
/// `path` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn stat(worker: *mut Worker, path: Value, follow: i64) -> Value {
    // SAFETY: the value is a string, and nothing is collected before `name` has copied it.
    let path = unsafe { name(path) };
    let call = || {
        let path = path?;
        facts(|into| {
            // SAFETY: the path ends in a zero, and `into` has room for the facts.
            unsafe {
                match follow {
                    0 => libc::lstat(path.as_ptr(), into),
                    _ => libc::stat(path.as_ptr(), into),
                }
            }
        })
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call and the string may collect. The path was
    // copied.
    unsafe {
        let result = (*worker).world().outside(call);
        text(worker, result)
    }
}

/// `rt.Posix.fstat`: returns the same information about an open file as `rt.Posix.stat`.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn fstat(worker: *mut Worker, file: i64) -> Value {
    let call = || {
        let file = descriptor(file)?;
        // SAFETY: the call takes a number, and `into` has room for the facts.
        facts(|into| unsafe { libc::fstat(file, into) })
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call and the string may collect. No address of an
    // object is in use.
    unsafe {
        let result = (*worker).world().outside(call);
        text(worker, result)
    }
}

/// `rt.Posix.read`: returns the next bytes, at most `most`, or an empty string at the end.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn read(worker: *mut Worker, file: i64, most: i64) -> Value {
    let call = || {
        let file = descriptor(file)?;
        let mut buffer = vec![0; most.clamp(0, 1 << 24) as usize];
        // SAFETY: the buffer has the given number of bytes.
        let count = unsafe { libc::read(file, buffer.as_mut_ptr().cast(), buffer.len()) };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        buffer.truncate(count as usize);
        Ok(buffer)
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call and the string may collect. The buffer is
    // Rust's own.
    unsafe {
        let result = (*worker).world().outside(call);
        text(worker, result)
    }
}

/// `rt.Posix.write`: writes a range of a string, and returns the number of bytes that were written.
///
/// # Safety
/// `string` must be a string that has this range, and `worker` must be the running worker.
pub unsafe extern "C" fn write(
    worker: *mut Worker,
    file: i64,
    string: Value,
    from: i64,
    n: i64,
) -> i64 {
    // SAFETY: `string` is a string, and nothing is collected before the range is copied: it may move while the call waits.
    let bytes = unsafe { string.bytes()[from as usize..(from + n) as usize].to_vec() };
    let call = || {
        let file = descriptor(file)?;
        // SAFETY: the buffer has the given number of bytes.
        outcome(unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) } as i64)
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The bytes were copied.
    status(unsafe { (*worker).world() }.outside(call))
}

/// `rt.Posix.pipe`: makes a pipe. Returns the descriptor for reading, plus 2^32 times the descriptor for writing.
pub extern "C" fn pipe(_: *mut Worker) -> i64 {
    let mut ends = [0; 2];
    // SAFETY: the call writes two numbers, and `ends` has room for them.
    let made = outcome(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) });
    status(made.map(|_| i64::from(ends[0]) | i64::from(ends[1]) << 32))
}

/// `rt.Posix.about`: returns the information that `what` selects. For 0 (the names of the system) and 1 (the environment), the result
/// consists of texts, each followed by a zero byte. For 2 (the groups of the user) and 3 (the times of the process), the result consists of
/// packed numbers. For 4, the result is the user's name. For 5, the result is the path of the terminal to which the descriptor `file`
/// refers.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn about(worker: *mut Worker, what: i64, file: i64) -> Value {
    let result = match what {
        0 => system(),
        1 => Ok(environment()),
        2 => groups(),
        3 => times(),
        4 => of_c(|buffer| {
            // SAFETY: the buffer has the given number of bytes.
            unsafe { getlogin_r(buffer.as_mut_ptr().cast(), buffer.len()) }
        }),
        _ => descriptor(file).and_then(|file| {
            of_c(|buffer| {
                // SAFETY: the buffer has the given number of bytes.
                unsafe { libc::ttyname_r(file, buffer.as_mut_ptr().cast(), buffer.len()) }
            })
        }),
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// Returns the string that a function of the C library writes. The function of the C library must return 0 or an error.
fn of_c(call: impl FnOnce(&mut [u8]) -> c_int) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; 4096];
    match call(&mut buffer) {
        0 => {
            let end = buffer.iter().position(|&byte| byte == 0);
            buffer.truncate(end.unwrap_or(0));
            Ok(buffer)
        }
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn system() -> io::Result<Vec<u8>> {
    // SAFETY: all zeros are a value of this type, and the call writes into it strings that end in a zero.
    unsafe {
        let mut names: libc::utsname = std::mem::zeroed();
        if libc::uname(&raw mut names) < 0 {
            return Err(io::Error::last_os_error());
        }
        let parts = [
            &names.sysname,
            &names.nodename,
            &names.release,
            &names.version,
            &names.machine,
        ];
        Ok(parts
            .iter()
            .flat_map(|part| CStr::from_ptr(part.as_ptr()).to_bytes_with_nul().to_vec())
            .collect())
    }
}

fn environment() -> Vec<u8> {
    let mut all = Vec::new();
    for (name, value) in std::env::vars_os() {
        all.extend(name.into_vec());
        all.push(b'=');
        all.extend(value.into_vec());
        all.push(0);
    }
    all
}

fn groups() -> io::Result<Vec<u8>> {
    let mut groups = vec![0; 1 << 16];
    // SAFETY: `groups` has room for the given number of groups.
    let count = unsafe { libc::getgroups(groups.len() as c_int, groups.as_mut_ptr()) };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    let numbers: Vec<i64> = groups[..count as usize]
        .iter()
        .map(|&group| i64::from(group))
        .collect();
    Ok(packed(&numbers))
}

/// Returns the nanoseconds since the machine started, and the user and system times of the process and of its children that have ended.
fn times() -> io::Result<Vec<u8>> {
    // SAFETY: all zeros are a value of this type, and the calls write into it.
    unsafe {
        let mut times: libc::tms = std::mem::zeroed();
        let elapsed = libc::times(&raw mut times);
        let rate = libc::sysconf(libc::_SC_CLK_TCK).max(1);
        let all = [
            elapsed,
            times.tms_utime,
            times.tms_stime,
            times.tms_cutime,
            times.tms_cstime,
        ];
        Ok(packed(
            &all.map(|ticks| ticks.wrapping_mul(1_000_000_000 / rate)),
        ))
    }
}
