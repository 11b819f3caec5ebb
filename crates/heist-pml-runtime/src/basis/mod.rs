//! Functions that the Basis calls. `table` gives them their names.
//!
//! All are called by compiled code in the C calling convention, the worker first, and are correct for the types that the Basis
//! gives them. Objects that they receive as pointers move when they allocate, so they allocate at their end, from copies.
//!
//! *The running worker* is that of the calling thread, on which the strand runs whose code calls. No other reference to it is in use on the
//! thread. A function that may collect or wait is called by a thunk, which has noted the newest frame of the strand, and what is live there
//! is in slots of frames (`table` says which functions need one).

mod exec;
pub mod filesys;
pub mod intinf;
pub mod io;
pub mod map;
pub(crate) mod mapped;
pub mod math;
mod number;
pub mod posix;
pub mod real;
pub mod strings;
pub mod system;

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::object::Value;
use super::worker::Worker;

thread_local! {
    static LAST_ERROR: Cell<i32> = const { Cell::new(0) };
}

/// The number of the system's error.
fn error_number(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EINVAL)
}

/// A result for the Basis: an error is its number, negated.
fn status(result: std::io::Result<i64>) -> i64 {
    result.unwrap_or_else(|error| -i64::from(error_number(&error)))
}

/// A string for the Basis. It is empty after an error; `rt.Io.lastError` returns that error.
///
/// # Safety
/// The worker must be the running one.
unsafe fn text(worker: *mut Worker, result: std::io::Result<Vec<u8>>) -> Value {
    let (bytes, error) = match result {
        Ok(bytes) => (bytes, 0),
        Err(error) => (Vec::new(), error_number(&error)),
    };
    LAST_ERROR.set(error);
    // SAFETY: `worker` is the running one, and the call came by a thunk, so making the string may collect. Its bytes are a copy that Rust
    // owns.
    unsafe { (*worker).string(&bytes) }
}

/// The error of the last function that returned a string; 0 if there was none.
pub extern "C" fn last_error(_: *mut Worker) -> i64 {
    i64::from(LAST_ERROR.get())
}

/// A path that a string names.
///
/// # Safety
/// It is a string.
unsafe fn path(string: Value) -> PathBuf {
    // SAFETY: the value is a string, and nothing is collected before its bytes are copied, here.
    PathBuf::from(OsStr::from_bytes(unsafe { string.bytes() }))
}
