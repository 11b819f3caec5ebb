//! Directories, and information about files.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::{path, status, text};
use crate::state::worker::Worker;
use crate::value::object::Value;

fn done(result: io::Result<()>) -> i64 {
    status(result.map(|()| 0))
}

macro_rules! of_path {
    ($($(#[$doc:meta])* $name:ident = |$path:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `path` must be a string, and `worker` must be the running worker.
            pub unsafe extern "C" fn $name(worker: *mut Worker, $path: Value) -> i64 {
                // SAFETY: the value is a string, and nothing is collected before `path` has copied it.
                let $path = unsafe { path($path) };
                // The call may wait for a device.
                // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The path was copied.
                unsafe { (*worker).world() }.outside(|| $result)
            }
        )*
    };
}

of_path! {
    /// `rt.FileSys.chDir`: changes the current folder.
    change = |path| done(std::env::set_current_dir(path));
    /// `rt.FileSys.mkDir`: makes a folder.
    make = |path| done(fs::create_dir(path));
    /// `rt.FileSys.rmDir`: removes a folder.
    remove_dir = |path| done(fs::remove_dir(path));
    /// `rt.FileSys.isDir`: returns 1 if the path names a folder, otherwise 0.
    is_dir = |path| status(fs::metadata(path).map(|data| i64::from(data.is_dir())));
    /// `rt.FileSys.isLink`: returns 1 if the path names a symbolic link, otherwise 0.
    is_link = |path| status(fs::symlink_metadata(path).map(|data| i64::from(data.is_symlink())));
    /// `rt.FileSys.fileSize`: returns the number of bytes of a file.
    size = |path| status(fs::metadata(path).map(|data| data.len() as i64));
    /// `rt.FileSys.device`: returns the number of the device that has the file.
    device = |path| status(fs::metadata(path).map(|data| std::os::unix::fs::MetadataExt::dev(&data) as i64));
    /// `rt.FileSys.inode`: returns the file's number on its device.
    inode = |path| status(fs::metadata(path).map(|data| std::os::unix::fs::MetadataExt::ino(&data) as i64));
    /// `rt.FileSys.modTime`: returns the time of the last change in seconds, plus 2^62 because negative results are errors.
    modified = |path| status(fs::metadata(path).map(|data| since_epoch(std::os::unix::fs::MetadataExt::mtime(&data))));
    /// `rt.FileSys.remove`: removes a file.
    remove = |path| done(fs::remove_file(path));
}

/// Returns a time in seconds since 1970 as a number that is not negative.
fn since_epoch(seconds: i64) -> i64 {
    seconds.clamp(-1 << 61, 1 << 61) + (1 << 62)
}

macro_rules! text_of_path {
    ($($(#[$doc:meta])* $name:ident = |$path:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `path` must be a string, and `worker` must be the running worker.
            pub unsafe extern "C" fn $name(worker: *mut Worker, $path: Value) -> Value {
                // SAFETY: the value is a string, which `path` copies before anything is collected. `worker` is the running worker, and the
                // call came through a thunk, so the call and the new string may collect.
                unsafe {
                    let $path = path($path);
                    let result = (*worker).world().outside(|| $result);
                    text(worker, result)
                }
            }
        )*
    };
}

text_of_path! {
    /// `rt.FileSys.entries`: returns the names in a folder, each followed by a zero byte.
    entries = |path| names(&path);
    /// `rt.FileSys.readLink`: returns the path to which a symbolic link leads.
    read_link = |path| fs::read_link(path).map(|path| path.into_os_string().into_vec());
    /// `rt.FileSys.realPath`: returns the absolute path without links.
    real_path = |path| fs::canonicalize(path).map(|path| path.into_os_string().into_vec());
}

fn names(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    // The names are sorted, so that their order does not depend on the file system.
    names.sort();
    let mut all = Vec::new();
    for name in names {
        all.extend(name.as_bytes());
        all.push(0);
    }
    Ok(all)
}

/// `rt.FileSys.getDir`: returns the current folder.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn current(worker: *mut Worker) -> Value {
    let result = std::env::current_dir().map(|path| path.into_os_string().into_vec());
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// `rt.FileSys.rename`: renames a file.
///
/// # Safety
/// `old` and `new` must be strings, and `worker` must be the running worker.
pub unsafe extern "C" fn rename(worker: *mut Worker, old: Value, new: Value) -> i64 {
    // SAFETY: both are strings, and nothing is collected before `path` has copied them.
    let (old, new) = unsafe { (path(old), path(new)) };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The paths were copied.
    done(unsafe { (*worker).world() }.outside(|| fs::rename(old, new)))
}

/// `rt.FileSys.access`: returns 1 if the process has all rights in `modes` to the file, otherwise 0. `modes` is a sum of 4 (read), 2
/// (write) and 1 (execute). If `modes` is 0, the function returns 1 if the file exists.
///
/// # Safety
/// `name` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn access(worker: *mut Worker, name: Value, modes: i64) -> i64 {
    // SAFETY: `name` is a string, and nothing is collected before this code copies its bytes.
    let Ok(name) = CString::new(unsafe { name.bytes() }) else {
        return 0;
    };
    // SAFETY: `name` ends in a zero, and lives until the call has returned.
    let call = || unsafe { libc::access(name.as_ptr(), modes as i32) };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The name was copied.
    i64::from(unsafe { (*worker).world() }.outside(call) == 0)
}

/// `rt.FileSys.setTime`: sets the time of the last change, in seconds.
///
/// # Safety
/// `name` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn set_time(worker: *mut Worker, name: Value, seconds: i64) -> i64 {
    // SAFETY: `name` is a string, and nothing is collected before this code copies its bytes.
    let Ok(name) = CString::new(unsafe { name.bytes() }) else {
        return -i64::from(libc::EINVAL);
    };
    let time = libc::timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    let call = || {
        // SAFETY: `name` ends in a zero, the array has two times, and both live until the call has returned.
        match unsafe { libc::utimensat(libc::AT_FDCWD, name.as_ptr(), [time, time].as_ptr(), 0) } {
            0 => Ok(0),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The name was copied.
    status(unsafe { (*worker).world() }.outside(call))
}
