//! The open files of programs, with their buffers for output. The runtime has its own buffers, so it can write out their contents however
//! a program ends. Each file has a number; 0, 1 and 2 are the standard streams of the process.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::process::exit;

/// Maximum number of buffered bytes of a file.
pub(crate) const BUFFER: usize = 1 << 16;

/// The rule that says when buffered output is written to its file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Unbuffered,
    Lines,
    Blocks,
}

/// An open file, for reading or for writing.
pub(crate) struct Open {
    // A worker that reads from the file clones this reference under the lock of `FILES`, and reads after it has released the lock. The
    // standard streams have an additional reference, so that they are never closed.
    pub(crate) file: Arc<File>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) mode: Mode,
}

impl Open {
    pub(crate) fn new(file: File, mode: Mode) -> Open {
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

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
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

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        // The function drops bytes that cannot be written.
        let buffer = std::mem::take(&mut self.buffer);
        let result = (&*self.file).write_all(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        result
    }

    pub(crate) fn close(mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            Ok(())
        } else {
            self.flush()
        }
    }
}

static FILES: Mutex<Vec<Option<Open>>> = Mutex::new(Vec::new());

pub(crate) fn files() -> MutexGuard<'static, Vec<Option<Open>>> {
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

/// Notes, if `result` is an error, that this error made the process lose text.
fn lose(result: io::Result<()>) {
    if let Err(error) = result {
        let number = error.raw_os_error().unwrap_or(libc::EINVAL);
        let _ = LOST.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Returns the exit code of a program that ends: `code` if all of the output was written. If the output is a pipe whose reader has closed
/// it, the result is the exit code of a process that SIGPIPE has ended. After any other error, this function prints a message, and replaces
/// the exit code 0 by [`exit::IMPOSSIBLE`].
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
            if code == 0 { exit::IMPOSSIBLE } else { code }
        }
    }
}

/// Writes to a file. A write to the standard error flushes the standard output first, so that earlier text appears first.
pub(crate) fn put(number: i64, bytes: &[u8]) -> io::Result<()> {
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

pub(crate) fn with<T>(
    number: i64,
    use_file: impl FnOnce(&mut Open) -> io::Result<T>,
) -> io::Result<T> {
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

/// Writes a byte to the file with this number.
pub(crate) fn put_byte(number: i64, byte: u8) -> io::Result<()> {
    // Programs write long texts byte by byte, so a byte that fits into the buffer takes one lock and one store.
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Some(open)) = files.get_mut(number as usize)
        && matches!(open.mode, Mode::Blocks)
        && open.buffer.len() < BUFFER
    {
        open.buffer.push(byte);
        return Ok(());
    }
    drop(files);
    put(number, &[byte])
}
