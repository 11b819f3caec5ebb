//! Writes heap profiles when a signal or a fault of the runtime ends the process. The profile of a program that runs out of memory is
//! especially useful.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::measure::heap_profile::HeapProfile;
use crate::process::{ends, exit};

/// The profiles of this process.
static ALL: Mutex<Vec<Arc<HeapProfile>>> = Mutex::new(Vec::new());
/// The descriptor of the pipe to which signal handlers write; -1 while there is no profile.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// The longest time for which the end of the process waits for a thread that uses the profile.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest time for which the thread that handles a signal waits for a last snapshot. The limit exists because workers may be blocked
/// in system calls.
const HURRY: Duration = Duration::from_millis(300);
/// The number that is written to the pipe for a stack overflow.
const OVERFLOW: u8 = 0;

/// Starts to watch for signals and faults of the runtime, so that the profile is written if one of them ends the process.
pub(super) fn start(profile: &Arc<HeapProfile>) {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(profile.clone());
    ends::on_fatal(end_all);
    if all.len() > 1 {
        return;
    }
    let mut ends = [0; 2];
    // SAFETY: a plain system call with room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return;
    }
    let thread = std::thread::Builder::new()
        .name("heist-pml-profile".into())
        .spawn(move || wait(ends[0]));
    if thread.is_err() {
        return;
    }
    // Relaxed: handlers use only the number.
    PIPE.store(ends[1], Ordering::Relaxed);
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: plain system calls with valid arguments; the handler only writes to a pipe.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut before);
            if before.sa_sigaction != libc::SIG_IGN {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                // The handler may run on any stack: compiled code has room below its stack pointer.
                action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

extern "C" fn on_signal(signal: i32) {
    tell(signal as u8);
}

/// Writes a number to the pipe. Returns false if there is no profile. May be called in a signal handler.
fn tell(number: u8) -> bool {
    let pipe = PIPE.load(Ordering::Relaxed);
    // SAFETY: a plain system call that may be made in a handler, with one byte to read.
    pipe >= 0 && unsafe { libc::write(pipe, (&raw const number).cast(), 1) } == 1
}

/// After a stack overflow, makes another thread write the profile and end the process. Returns only if there is no profile. The thread with
/// the overflow may call this function in a signal handler.
pub(crate) fn hand_over() {
    if tell(OVERFLOW) {
        loop {
            // SAFETY: `pause` may be called in a handler, and uses no memory.
            unsafe { libc::pause() };
        }
    }
}

/// Waits for a signal, writes the profiles, and ends the process.
fn wait(pipe: i32) {
    let mut number = 0_u8;
    // SAFETY: a plain system call with room for one byte.
    while unsafe { libc::read(pipe, (&raw mut number).cast(), 1) } != 1 {}
    if number == OVERFLOW {
        end_all();
        // SAFETY: the call ends the process immediately, as the handler would have done.
        unsafe { libc::_exit(exit::IMPOSSIBLE) }
    }
    for profile in all() {
        profile.hurry(HURRY);
    }
    ends::alone();
    end_all();
    let signal = i32::from(number);
    // SAFETY: plain system calls. The process ends by the signal, as it would without a profile.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
        loop {
            libc::pause();
        }
    }
}

fn all() -> Vec<Arc<HeapProfile>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes all profiles that have not ended.
pub(crate) fn end_all() {
    for profile in all() {
        profile.end(PATIENCE);
    }
}
