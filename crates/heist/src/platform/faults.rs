//! Reports an access to one of Heist's guard pages, before this access ends the process.
//!
//! A reporter recognises faults in its own guard pages. Every other fault goes to the previous handler, which in most programs is the
//! handler of the standard library. All code of this module that runs in the handler is async-signal-safe. The code reads memory that does
//! not change, and makes one system call, to write the message.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Once, OnceLock};

/// A part of Heist that reports accesses to its guard pages: the stacks of fibers, or the deques of forks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reporter {
    Fibers,
    Forks,
}

/// The reporters' functions. The handler calls each reporter with the address of the fault. A
/// reporter returns if the address is not in its guard pages.
static REPORTERS: [OnceLock<unsafe fn(usize)>; 2] = [const { OnceLock::new() }; 2];

/// The signals that an access to a guard page may cause; macOS and some BSDs send `SIGBUS`.
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The handlers that were installed before Heist's handler, in the order of [`SIGNALS`].
static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];

type Handler = unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs `report` as the function of `reporter`. From now on, a signal handler calls `report` with the address of each faulting access,
/// on the thread that made the access. All calls for the same reporter must pass the same function.
///
/// The signal handler is installed once in the process. If the program later installs a handler that does not call Heist's handler, such
/// faults end the process without a message.
///
/// # Safety
/// `report` must be async-signal-safe.
pub(crate) unsafe fn report_faults(reporter: Reporter, report: unsafe fn(usize)) {
    static ONCE: Once = Once::new();
    REPORTERS[reporter as usize].get_or_init(|| report);
    ONCE.call_once(|| {
        for (signal, before) in SIGNALS.into_iter().zip(&BEFORE) {
            let mut old = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: the call writes to the local variable, which exists during the call; if the
            // call fails, the variable is not read.
            let old = unsafe {
                if libc::sigaction(signal, ptr::null(), old.as_mut_ptr()) != 0 {
                    continue;
                }
                old.assume_init()
            };
            // The old handler is stored before the new handler is installed, because the new
            // handler reads it.
            before.get_or_init(|| old);
            let handler: Handler = on_fault;
            let mut new = old;
            new.sa_sigaction = handler as libc::sighandler_t;
            // The new handler keeps the old handler's mask and its `SA_NODEFER`, because it calls the old handler.
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | old.sa_flags & libc::SA_NODEFER;
            // SAFETY: the handler has the signature that `SA_SIGINFO` requires, and is
            // async-signal-safe.
            unsafe { libc::sigaction(signal, &raw const new, ptr::null_mut()) };
        }
    });
}

/// # Safety
/// Only the kernel, or a handler that passes on the kernel's arguments, may call this function.
unsafe extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the arguments come from the kernel. If the code is above 0, the kernel has sent the
    // signal, and for these signals `info` then contains an address.
    unsafe {
        if (*info).si_code > 0 {
            let address = (*info).si_addr().addr();
            for report in REPORTERS.iter().filter_map(OnceLock::get) {
                report(address);
            }
        }
        pass_on(signal, info, context);
    }
}

/// Writes a line and ends the process. Async-signal-safe.
pub(crate) fn say_and_abort<const N: usize>(pieces: [&str; N]) -> ! {
    let vectors = pieces.map(|piece| libc::iovec {
        iov_base: piece.as_ptr().cast_mut().cast(),
        iov_len: piece.len(),
    });
    // SAFETY: the vectors describe texts that exist until the end of this function. A failure of
    // the write is ignored.
    unsafe {
        libc::writev(
            libc::STDERR_FILENO,
            vectors.as_ptr(),
            vectors.len() as libc::c_int,
        );
        libc::abort();
    }
}

/// Writes the number's digits into the buffer and returns them.
pub(crate) fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &str {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    std::str::from_utf8(&digits[first..]).unwrap_or("")
}

/// Handles a signal as the process would handle it without Heist's handler.
///
/// # Safety
/// The arguments must be those that the kernel passed to [`on_fault`].
unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = SIGNALS
        .iter()
        .position(|of| *of == signal)
        .and_then(|index| BEFORE[index].get());
    // SAFETY: the system reported these actions and their handlers when Heist's handler was
    // installed, and the arguments come from the kernel.
    unsafe {
        match before {
            Some(action)
                if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN =>
            {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: Handler = std::mem::transmute(action.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) =
                        std::mem::transmute(action.sa_sigaction);
                    handler(signal);
                }
            }
            Some(action) if action.sa_sigaction == libc::SIG_IGN && (*info).si_code <= 0 => {}
            _ => {
                // When this function returns, the access faults again, or `raise` has sent the signal again, and the default action ends
                // the process.
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, ptr::null_mut());
                if (*info).si_code <= 0 {
                    libc::raise(signal);
                }
            }
        }
    }
}
