//! Functions for files of programs. `process/files.rs` has the open files.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::sync::Arc;

use super::{path, status, text};
use crate::process::ends::fatal;
use crate::process::files::{BUFFER, Mode, Open, files, put, put_byte, with};
use crate::state::worker::Worker;
use crate::value::object::Value;

/// `rt.Io.open`: opens a file to read (0), to overwrite it (1), or to write at the end (2).
///
/// # Safety
/// `name` must be a string, and `worker` must be the running worker.
pub unsafe extern "C" fn open(worker: *mut Worker, name: Value, how: i64) -> i64 {
    let mut options = OpenOptions::new();
    match how {
        0 => options.read(true),
        1 => options.write(true).create(true).truncate(true),
        _ => options.append(true).create(true),
    };
    // SAFETY: `name` is a string, and nothing is collected before `path` has copied it.
    let path = unsafe { path(name) };
    // The call may wait until another process opens the other end of a pipe. SAFETY: `worker` is the running worker, and the call came
    // through a thunk, so the call may collect. The path was copied.
    let file = unsafe { (*worker).world() }.outside(|| options.open(path));
    status(file.and_then(|file| {
        if how == 0 && file.metadata()?.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        let open = Some(Open::new(file, Mode::Blocks));
        let mut files = files();
        let number = match files.iter().position(Option::is_none) {
            Some(free) => {
                files[free] = open;
                free
            }
            None => {
                files.push(open);
                files.len() - 1
            }
        };
        Ok(number as i64)
    }))
}

/// `rt.Io.close`: closes a file.
pub extern "C" fn close(_: *mut Worker, number: i64) -> i64 {
    // No other file gets the numbers of the standard streams.
    if (0..3).contains(&number) {
        return status(with(number, |open| {
            if open.buffer.is_empty() {
                Ok(0)
            } else {
                open.flush().map(|()| 0)
            }
        }));
    }
    let open = usize::try_from(number)
        .ok()
        .and_then(|number| files().get_mut(number)?.take());
    status(match open {
        Some(open) => open.close().map(|()| 0),
        None => Err(io::Error::from_raw_os_error(libc::EBADF)),
    })
}

/// `rt.Io.read`: returns the next bytes, at most `most`, or an empty string at the end.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn read(worker: *mut Worker, number: i64, most: i64) -> Value {
    if number == 0 {
        // The standard output may contain a question to the user, which must appear before the program waits for the answer.
        let _ = with(1, |open| {
            if open.mode == Mode::Lines {
                open.flush()
            } else {
                Ok(())
            }
        });
    }
    let read = |file: Arc<File>| {
        let mut buffer = vec![0; most.clamp(1, BUFFER as i64) as usize];
        loop {
            match (&*file).read(&mut buffer) {
                Ok(count) => {
                    buffer.truncate(count);
                    return Ok(buffer);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    // The read may take long, so neither a collection nor a thread that prints may wait for the read.
    let result = with(number, |open| Ok(open.file.clone()))
        // SAFETY: `worker` is the running worker, and the call came through a thunk, so the call may collect. The closure uses the file and
        // memory of its own.
        .and_then(|file| unsafe { (*worker).world() }.outside(|| read(file)));
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. Its bytes are a copy
    // that Rust owns.
    unsafe { text(worker, result) }
}

/// `rt.Io.write`: writes a string to a file.
///
/// # Safety
/// `string` must be a string.
pub unsafe extern "C" fn write(_: *mut Worker, number: i64, string: Value) -> i64 {
    // SAFETY: `string` is a string, and this worker has no safepoint before the write has ended, so nothing is collected and the bytes stay
    // where they are.
    let bytes = unsafe { string.bytes() };
    status(put(number, bytes).map(|()| 0))
}

/// `rt.Io.writeRange`: writes a range of a string to a file.
///
/// # Safety
/// `string` must be a string that has this range.
pub unsafe extern "C" fn write_range(
    _: *mut Worker,
    number: i64,
    string: Value,
    from: i64,
    n: i64,
) -> i64 {
    // SAFETY: `string` is a string, and this worker has no safepoint before the write has ended, so nothing is collected and the bytes stay
    // where they are.
    let bytes = unsafe { &string.bytes()[from as usize..(from + n) as usize] };
    status(put(number, bytes).map(|()| 0))
}

/// `rt.Io.writeChar`: writes one byte to a file.
pub extern "C" fn write_char(_: *mut Worker, number: i64, char: i64) -> i64 {
    status(put_byte(number, char as u8).map(|()| 0))
}

/// `rt.Io.print`: writes a string to the standard output. If the standard output is a pipe whose reader has closed it, the process ends.
///
/// # Safety
/// `string` must be a string.
pub unsafe extern "C" fn print(_: *mut Worker, string: Value) {
    // SAFETY: `string` is a string, and this worker has no safepoint before the write has ended, so nothing is collected and the bytes stay
    // where they are.
    let bytes = unsafe { string.bytes() };
    if let Err(error) = with(1, |open| open.write(bytes)) {
        if error.kind() == ErrorKind::BrokenPipe {
            // This is the exit code of a process that SIGPIPE has ended.
            std::process::exit(128 + libc::SIGPIPE);
        }
        fatal(&format!("cannot write to the standard output: {error}"));
    }
}

/// `rt.Io.descriptor`: returns the system's descriptor of a file.
pub extern "C" fn descriptor(_: *mut Worker, number: i64) -> i64 {
    status(with(number, |open| Ok(open.file.as_raw_fd().into())))
}

/// `rt.Io.flush`: writes out the buffered output of a file.
pub extern "C" fn flush(_: *mut Worker, number: i64) -> i64 {
    status(with(number, |open| open.flush().map(|()| 0)))
}

/// `rt.Io.bufferMode`: returns the number of the mode in which output is buffered.
pub extern "C" fn buffer_mode(_: *mut Worker, number: i64) -> i64 {
    with(number, |open| Ok(open.mode as i64)).unwrap_or(2)
}

/// `rt.Io.setBufferMode`: sets the mode in which output is buffered.
pub extern "C" fn set_buffer_mode(_: *mut Worker, number: i64, mode: i64) {
    let _ = with(number, |open| {
        open.mode = match mode {
            0 => Mode::Unbuffered,
            1 => Mode::Lines,
            _ => Mode::Blocks,
        };
        if mode == 0 { open.flush() } else { Ok(()) }
    });
}
