//! Functions that the Basis calls. The module `table` lists the names by which the Basis calls them.
//!
//! Compiled code calls all of these functions in the C calling convention, with the worker as the first argument. Each function requires
//! arguments of the types with which the Basis declares the function. An allocation may move the objects that a function has received as
//! pointers. So a function first copies the data that it needs, and allocates only at its end.
//!
//! *The running worker* is the worker of the calling thread, on which the calling strand runs. The thread uses no other reference to this
//! worker. A function that may collect or wait is called through a thunk (`table` says which functions need one). The thunk has noted the
//! newest frame of the strand, and live values are in slots of frames.

pub mod atomic;
mod child;
pub mod constants;
pub mod conversions;
mod exec;
pub mod filesys;
pub mod hosts;
pub mod intinf;
pub mod io;
pub mod map;
pub mod math;
mod number;
pub mod posix;
pub mod real;
pub mod socket;
pub mod strings;
pub mod system;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::state::worker::Worker;
use crate::value::object::Value;

/// Returns the number that the system gives to an error.
fn error_number(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EINVAL)
}

/// Converts a result for the Basis: an error becomes its negated number.
fn status(result: std::io::Result<i64>) -> i64 {
    result.unwrap_or_else(|error| -i64::from(error_number(&error)))
}

/// Returns a string for the Basis. The string is empty after an error; `rt.Io.lastError` returns that error.
///
/// # Safety
/// `worker` must be the running worker.
unsafe fn text(worker: *mut Worker, result: std::io::Result<Vec<u8>>) -> Value {
    let (bytes, error) = match result {
        Ok(bytes) => (bytes, 0),
        Err(error) => (Vec::new(), error_number(&error)),
    };
    // SAFETY: `worker` is the running worker, and runs the strand that called, through a thunk, so making the string may collect. Its bytes
    // are a copy that Rust owns.
    unsafe {
        (*(*worker).strand).last_error = error;
        (*worker).string(&bytes)
    }
}

/// Returns the error of the last function that returned a string to the strand, or 0 if that function succeeded.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn last_error(worker: *mut Worker) -> i64 {
    // SAFETY: `worker` is the running worker, and runs the strand that called.
    i64::from(unsafe { (*(*worker).strand).last_error })
}

/// Returns a path that a string names.
///
/// # Safety
/// `string` must be a string.
unsafe fn path(string: Value) -> PathBuf {
    // SAFETY: the value is a string, and nothing is collected before this code copies its bytes.
    PathBuf::from(OsStr::from_bytes(unsafe { string.bytes() }))
}
