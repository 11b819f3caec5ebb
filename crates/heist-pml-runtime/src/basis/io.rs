//! Files of programs. Each file has a number; 0, 1 and 2 are the standard streams of the process. This module has its own buffers for
//! output, so it can write out their contents however a program ends.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::{path, status, text};
use crate::state::worker::Worker;
use crate::value::object::Value;

/// Maximum number of buffered bytes of a file.
const BUFFER: usize = 1 << 16;

/// The rule that says when buffered output is written to its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Unbuffered,
    Lines,
    Blocks,
}

/// An open file, for reading or for writing.
struct Open {
    // A worker that reads from the file clones this reference under the lock of `FILES`, and reads after it has released the lock. The
    // standard streams have an additional reference, so that they are never closed.
    file: Arc<File>,
    buffer: Vec<u8>,
    mode: Mode,
}

impl Open {
    fn new(file: File, mode: Mode) -> Open {
        Open {
            file: Arc::new(file),
            buffer: Vec::new(),
            mode,
        }
    }

    fn standard(number: i32, mode: Mode) -> Open {
        // SAFETY: the descriptor belongs to the process, and is not closed, because the file is never dropped.
        let file = Arc::new(unsafe { File::from_raw_fd(number) });
        std::mem::forget(file.clone());
        Open {
            file,
            buffer: Vec::new(),
            mode,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
            if bytes.len() > BUFFER {
                return (&*self.file).write_all(bytes);
            }
        }
        self.buffer.extend_from_slice(bytes);
        match self.mode {
            Mode::Unbuffered => self.flush(),
            Mode::Lines if bytes.contains(&b'\n') => self.flush(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // The function drops bytes that cannot be written.
        let buffer = std::mem::take(&mut self.buffer);
        let result = (&*self.file).write_all(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        result
    }

    fn close(mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            Ok(())
        } else {
            self.flush()
        }
    }
}

static FILES: Mutex<Vec<Option<Open>>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<Option<Open>>> {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if files.is_empty() {
        let output = if io::stdout().is_terminal() {
            Mode::Lines
        } else {
            Mode::Blocks
        };
        files.push(Some(Open::standard(0, Mode::Blocks)));
        files.push(Some(Open::standard(1, output)));
        files.push(Some(Open::standard(2, Mode::Unbuffered)));
        flush_on_signals();
    }
    files
}

/// Installs handlers that write out the buffered output before a signal ends the process. Does not change signals that the process ignores
/// or already handles.
fn flush_on_signals() {
    for signal in [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGABRT,
        libc::SIGTERM,
    ] {
        // SAFETY: plain system calls with valid arguments. The handler takes no lock that it would wait for, and allocates nothing.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut before);
            if before.sa_sigaction == libc::SIG_DFL {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_end as *const () as usize;
                // The second signal, which the handler sends, ends the process.
                action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

extern "C" fn on_end(signal: i32) {
    flush_in_handler();
    // SAFETY: `raise` may be called in a handler, and the signal has its default action again.
    unsafe { libc::raise(signal) };
}

/// The system's number of the first error that made the process lose buffered text; 0 if no text was lost. This word orders no other
/// memory, so all accesses to it are relaxed.
static LOST: AtomicI32 = AtomicI32::new(0);

/// If `result` is an error, notes that this error made the process lose text.
fn lose(result: io::Result<()>) {
    if let Err(error) = result {
        let number = super::error_number(&error);
        let _ = LOST.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Returns the exit code of a program that ends: `code` if all of the output was written. If the output is a pipe whose reader has closed
/// it, the result is the exit code of a process that SIGPIPE has ended. After any other error, this function prints a message, and replaces
/// the exit code 0 by `program::IMPOSSIBLE`.
pub fn exit_code(code: i32) -> i32 {
    match LOST.swap(0, Ordering::Relaxed) {
        0 => code,
        // This is the exit code of a process that SIGPIPE has ended.
        libc::EPIPE => 128 + libc::SIGPIPE,
        number => {
            let line = match number {
                libc::EBADF => "cannot write all of the output: it is closed; send it to a file, or to /dev/null\n".to_owned(),
                _ => format!(
                    "cannot write all of the output: {}\n",
                    io::Error::from_raw_os_error(number)
                ),
            };
            // If standard error fails, no other stream can report it.
            let _ = io::stderr().write_all(line.as_bytes());
            if code == 0 {
                crate::launch::program::IMPOSSIBLE
            } else {
                code
            }
        }
    }
}

/// Writes to a file. A write to the standard error flushes the standard output first, so that earlier text appears first.
fn put(number: i64, bytes: &[u8]) -> io::Result<()> {
    if number == 2 {
        with(1, |open| {
            if !open.buffer.is_empty() {
                lose(open.flush());
            }
            Ok(())
        })?;
    }
    with(number, |open| open.write(bytes))
}

fn with<T>(number: i64, use_file: impl FnOnce(&mut Open) -> io::Result<T>) -> io::Result<T> {
    let mut files = files();
    let open = usize::try_from(number)
        .ok()
        .and_then(|number| files.get_mut(number)?.as_mut());
    use_file(open.ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))?)
}

/// Writes out all buffered output. The runtime calls this function before the process ends.
pub fn flush_all() {
    flush_files(&mut FILES.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Does the work of [`flush_all`] in a signal handler. The signal may have interrupted a write on the handler's own thread, and the handler
/// cannot wait for that write.
pub fn flush_in_handler() {
    for _ in 0..100 {
        match FILES.try_lock() {
            Ok(mut files) => return flush_files(&mut files),
            Err(TryLockError::Poisoned(files)) => return flush_files(&mut files.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let rest = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 1_000_000,
                };
                // SAFETY: `nanosleep` may be called in a handler, and reads only `rest`.
                unsafe { libc::nanosleep(&raw const rest, std::ptr::null_mut()) };
            }
        }
    }
}

fn flush_files(files: &mut [Option<Open>]) {
    for open in files.iter_mut().flatten() {
        if !open.buffer.is_empty() {
            lose(open.flush());
        }
    }
}

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
    // Programs write long texts byte by byte, so a byte that fits into the buffer takes one lock and one store.
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Some(open)) = files.get_mut(number as usize)
        && matches!(open.mode, Mode::Blocks)
        && open.buffer.len() < BUFFER
    {
        open.buffer.push(char as u8);
        return 0;
    }
    drop(files);
    status(put(number, &[char as u8]).map(|()| 0))
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
        crate::fatal(&format!("cannot write to the standard output: {error}"));
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
