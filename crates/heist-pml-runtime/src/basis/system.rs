//! Functions for the process, the system's errors, and time.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::error_number;
use crate::collect::promote::promote;
use crate::poll::collection;
use crate::process::files;
use crate::run::finish::finish;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// The name of the program, followed by its arguments. The value is `None` if the program has the name and arguments of the process.
static COMMAND_LINE: RwLock<Option<Vec<OsString>>> = RwLock::new(None);

/// Gives the program a name and arguments other than those of the process.
pub fn set_command_line(name: OsString, arguments: impl IntoIterator<Item = OsString>) {
    let line = std::iter::once(name).chain(arguments).collect();
    *COMMAND_LINE.write().unwrap_or_else(PoisonError::into_inner) = Some(line);
}

fn command_line() -> Vec<OsString> {
    let line = COMMAND_LINE.read().unwrap_or_else(PoisonError::into_inner);
    line.clone()
        .unwrap_or_else(|| std::env::args_os().collect())
}

/// `rt.System.argumentCount`: returns the number of the program's arguments.
pub extern "C" fn argument_count(_: *mut Worker) -> i64 {
    command_line().len().saturating_sub(1) as i64
}

/// `rt.System.argument`: returns the argument with this number.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn argument(worker: *mut Worker, number: i64) -> Value {
    let line = command_line();
    let argument = line.get(number as usize + 1).cloned().unwrap_or_default();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The argument is Rust's
    // own copy.
    unsafe { (*worker).string(argument.as_bytes()) }
}

/// `rt.System.programName`: returns the name of the program.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn program_name(worker: *mut Worker) -> Value {
    let line = command_line();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The name is Rust's own
    // copy.
    unsafe { (*worker).string(line.first().cloned().unwrap_or_default().as_bytes()) }
}

/// `rt.System.exit`: ends the process with an exit code.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn exit(worker: *mut Worker, status: i64) {
    // SAFETY: `worker` is the running worker, and a thunk has noted its frame, so the worker may be stopped here: no reference to the
    // worker is in use then. The process ends before anything uses the last reference in another way.
    unsafe {
        collection::collect_last(worker);
        let world = (*worker).shared_world();
        if world.options.stats || world.options.stats_json.is_some() {
            // The report reads the counts of all workers, so the workers stay stopped. If another thread ends the process, this wait also
            // ends.
            while !world.stop() {}
        }
        crate::process::ends::alone();
        finish(&*worker);
    }
    std::process::exit(files::exit_code((status & 0xff) as i32))
}

/// `rt.System.leave`: ends the process immediately, as `_exit` of POSIX does. Output that was not written yet is lost.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn leave(_worker: *mut Worker, status: i64) {
    // SAFETY: `_exit` may be called at any time.
    unsafe { libc::_exit((status & 0xff) as i32) }
}

/// `rt.System.atExit`: registers a closure (`unit -> unit`) that runs if an unhandled exception ends the program.
///
/// # Safety
/// `closure` must be a closure of that type, and `worker` must be the running worker.
pub unsafe extern "C" fn at_exit(worker: *mut Worker, closure: Value) {
    // SAFETY: `worker` is the running worker, and a thunk has noted the newest frame, so `promote` may collect. The result of `promote` is
    // used before anything else collects, and is a closure of type `unit -> unit`.
    unsafe {
        let closure = if (*worker).world().is_shared() {
            promote(worker, closure)
        } else {
            closure
        };
        (*worker).world().set_at_exit(closure);
    }
}

/// `rt.System.environment`: returns `=` and the value of a variable, or an empty string if there is no such variable.
///
/// # Safety
/// `name` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn environment(worker: *mut Worker, name: Value) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. `name` is a string,
    // which is read before the result is made.
    unsafe {
        let name = OsStr::from_bytes(name.bytes());
        let mut result = Vec::new();
        // The environment cannot contain variables with other names.
        if !name.is_empty()
            && !name.as_bytes().iter().any(|byte| matches!(byte, 0 | b'='))
            && let Some(value) = std::env::var_os(name)
        {
            result.push(b'=');
            result.extend(value.into_vec());
        }
        (*worker).string(&result)
    }
}

/// `rt.System.errorMessage`: returns the system's text for an error.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn error_message(worker: *mut Worker, number: i64) -> Value {
    let text = std::io::Error::from_raw_os_error(number as i32).to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The text is Rust's own.
    unsafe { (*worker).string(text.as_bytes()) }
}

macro_rules! errors {
    ($($name:literal $number:ident)*) => {
        /// Names of errors, in the notation of the Basis.
        const ERRORS: &[(&str, i32)] = &[$(($name, libc::$number),)*];
    };
}

errors! {
    "acces" EACCES "again" EAGAIN "badf" EBADF "badmsg" EBADMSG "busy" EBUSY "canceled" ECANCELED "child" ECHILD "deadlk" EDEADLK "dom" EDOM "exist" EEXIST
    "fault" EFAULT "fbig" EFBIG "inprogress" EINPROGRESS "intr" EINTR "inval" EINVAL "io" EIO "isdir" EISDIR "loop" ELOOP
    "mfile" EMFILE "mlink" EMLINK "msgsize" EMSGSIZE "nametoolong" ENAMETOOLONG "nfile" ENFILE "nodev" ENODEV "noent" ENOENT "noexec" ENOEXEC
    "nolck" ENOLCK "nomem" ENOMEM "nospc" ENOSPC "nosys" ENOSYS "notdir" ENOTDIR "notempty" ENOTEMPTY "notsup" ENOTSUP
    "notty" ENOTTY "nxio" ENXIO "perm" EPERM "pipe" EPIPE "range" ERANGE "rofs" EROFS "spipe" ESPIPE "srch" ESRCH
    "toobig" E2BIG "xdev" EXDEV
    "addrinuse" EADDRINUSE "addrnotavail" EADDRNOTAVAIL "afnosupport" EAFNOSUPPORT "already" EALREADY "connaborted" ECONNABORTED
    "connrefused" ECONNREFUSED "connreset" ECONNRESET "destaddrreq" EDESTADDRREQ "hostdown" EHOSTDOWN "hostunreach" EHOSTUNREACH
    "isconn" EISCONN "netdown" ENETDOWN "netreset" ENETRESET "netunreach" ENETUNREACH "nobufs" ENOBUFS "noprotoopt" ENOPROTOOPT
    "notconn" ENOTCONN "notsock" ENOTSOCK "opnotsupp" EOPNOTSUPP "pfnosupport" EPFNOSUPPORT "protonosupport" EPROTONOSUPPORT
    "prototype" EPROTOTYPE "shutdown" ESHUTDOWN "socktnosupport" ESOCKTNOSUPPORT "timedout" ETIMEDOUT
}

/// `rt.System.errorName`: returns the name of an error.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn error_name(worker: *mut Worker, number: i64) -> Value {
    let known = ERRORS.iter().find(|error| i64::from(error.1) == number);
    let name = known.map_or_else(|| number.to_string(), |error| error.0.to_owned());
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The name is Rust's own.
    unsafe { (*worker).string(name.as_bytes()) }
}

/// `rt.System.errorNumber`: returns the number of a named error, or 0 if there is no such name.
///
/// # Safety
/// `name` must be a string.
pub unsafe extern "C" fn error_of_name(_: *mut Worker, name: Value) -> i64 {
    // SAFETY: `name` is a string. Nothing allocates in the heap of the program, so the string does not move.
    let name = unsafe { name.bytes() };
    // The name may also be in the notation of the system, as in Poly/ML: `ECONNREFUSED`.
    let is = |error: &[u8]| match name {
        [b'E', rest @ ..] => error.to_ascii_uppercase() == rest,
        name => error == name,
    };
    ERRORS
        .iter()
        .find(|error| is(error.0.as_bytes()))
        .map_or(0, |error| i64::from(error.1))
}

/// `rt.System.command`: runs a command in the shell, and returns its status in the format of the module `child`.
///
/// # Safety
/// `text` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn command(worker: *mut Worker, text: Value) -> i64 {
    files::flush_all();
    // SAFETY: `text` is a string, and nothing is collected before this code copies its bytes.
    let Ok(text) = CString::new(unsafe { text.bytes() }) else {
        return 127;
    };
    let mut shell = std::process::Command::new("/bin/sh");
    shell.arg("-c").arg(OsStr::from_bytes(text.as_bytes()));
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The text was copied.
    let run = unsafe { (*worker).world() }.outside(|| shell.status());
    let Ok(ended) = run else {
        return 127;
    };
    match ended.signal() {
        Some(signal) => super::child::SIGNALED + i64::from(signal),
        None => ended.code().map_or(127, i64::from),
    }
}

/// `rt.System.sleep`: sleeps for a number of nanoseconds.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn sleep(worker: *mut Worker, nanoseconds: i64) {
    files::flush_all();
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. No address of an object is in
    // use.
    unsafe { (*worker).world() }.outside(|| std::thread::sleep(nanoseconds_of(nanoseconds)));
}

fn nanoseconds_of(count: i64) -> Duration {
    Duration::from_nanos(count.try_into().unwrap_or(0))
}

/// `rt.System.now`: returns the nanoseconds since 1970.
pub extern "C" fn now(_: *mut Worker) -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}

/// `rt.System.monotonic`: returns the nanoseconds since the first call.
pub extern "C" fn monotonic(_: *mut Worker) -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

fn usage() -> libc::rusage {
    // SAFETY: all zeros are a value of this type, and the call writes into it.
    unsafe {
        let mut usage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    }
}

fn nanoseconds(time: libc::timeval) -> i64 {
    time.tv_sec * 1_000_000_000 + time.tv_usec * 1000
}

/// `rt.System.userTime`: returns the process's time in user mode, in nanoseconds.
pub extern "C" fn user_time(_: *mut Worker) -> i64 {
    nanoseconds(usage().ru_utime)
}

/// `rt.System.systemTime`: returns the process's time in the system, in nanoseconds.
pub extern "C" fn system_time(_: *mut Worker) -> i64 {
    nanoseconds(usage().ru_stime)
}

/// `rt.System.collectorTime`: returns the time of this worker's collections, in nanoseconds.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn collector_time(worker: *mut Worker) -> i64 {
    // SAFETY: `worker` is the running worker, and only its own thread writes these counts while it runs.
    unsafe { (*worker).stats.collecting().as_nanos() as i64 }
}

/// `rt.System.collect`: collects all generations.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn collect(worker: *mut Worker) {
    // SAFETY: `worker` is the running worker, and a thunk has noted the newest frame, as for a call that allocates. No reference to the
    // worker is in use.
    unsafe { collection::collect(worker, true) };
}

/// Returns the parts of the local time, or `None` if the system cannot represent the year.
fn local(seconds: i64) -> Option<libc::tm> {
    // SAFETY: all zeros are a value of this type, and the call writes into it.
    unsafe {
        let mut time = std::mem::zeroed::<libc::tm>();
        let known = !libc::localtime_r(&raw const seconds, &raw mut time).is_null();
        known.then_some(time)
    }
}

/// `rt.System.localOffset`: returns the offset of the local time from UTC at the given time, in seconds.
pub extern "C" fn local_offset(_: *mut Worker, seconds: i64) -> i64 {
    local(seconds).map_or(0, |time| time.tm_gmtoff)
}

/// `rt.System.isDst`: returns 1 if daylight saving time is in effect locally at the given time, 0 if it is not, and a negative number if
/// the system does not know.
pub extern "C" fn is_dst(_: *mut Worker, seconds: i64) -> i64 {
    local(seconds).map_or(-1, |time| i64::from(time.tm_isdst.signum()))
}

/// `rt.System.zone`: returns the short name of the local time zone at the given time, or an empty string if the time zone has no name.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn zone(worker: *mut Worker, seconds: i64) -> Value {
    let name = match local(seconds) {
        // SAFETY: the string belongs to the C library, and is copied before anything can read the time zone again.
        Some(time) if !time.tm_zone.is_null() => unsafe {
            std::ffi::CStr::from_ptr(time.tm_zone).to_bytes().to_vec()
        },
        _ => Vec::new(),
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The name was copied.
    unsafe { (*worker).string(&name) }
}

/// `rt.FileSys.tmpName`: makes an empty file that no other process has open, and returns its name.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn temporary(worker: *mut Worker) -> Value {
    let mut result = Err(std::io::Error::from_raw_os_error(libc::EEXIST));
    for attempt in 0..1000 {
        let stamp = now(worker) as u64 ^ u64::from(std::process::id()) << 40;
        let path = std::env::temp_dir().join(format!("sml-{stamp:x}-{attempt}"));
        match std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
        {
            Ok(_) => {
                result = Ok(path.into_os_string().into_vec());
                break;
            }
            Err(error) if error_number(&error) == libc::EEXIST => {}
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { super::text(worker, result) }
}
