//! Measures round trips by signals. The handler of a request sends a second signal as the answer. The handler of the answer writes a word.

#![allow(
    clippy::missing_spin_loop,
    reason = "a hint would delay the end of what is measured"
)]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Lap;
use super::linux::{Word, now, pair};

/// The kernel's number of the thread that sends the requests. The handler of a request sends the answer to this thread.
static ASKS: AtomicI32 = AtomicI32::new(0);
/// The kernel's number of the thread that answers, or 0 before this thread has begun.
static ANSWERS: AtomicI32 = AtomicI32::new(0);
/// The time at which the handler saw the last request.
static SEEN: Word = Word::new();
/// The number of answers that have arrived.
static ANSWERED: Word = Word::new();

/// Only one measurement at a time may use the handlers and the words above.
static ALONE: Mutex<()> = Mutex::new(());

fn request_signal() -> libc::c_int {
    libc::SIGRTMIN() + 6
}

fn answer_signal() -> libc::c_int {
    libc::SIGRTMIN() + 7
}

fn own_thread() -> i32 {
    // SAFETY: the call takes no arguments, and accesses no memory of this process.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Sends a signal to a thread. Returns false if the kernel refuses the signal. The kernel refuses a signal only if the user has reached the
/// limit of pending signals.
fn send(thread: i32, signal: libc::c_int) -> bool {
    // SAFETY: the call takes only numbers. The thread belongs to this process, which has a handler for the signal, so the signal ends no
    // process. If the thread no longer existed, the call would fail.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal) == 0 }
}

/// Handles a request. Runs in the thread that answers, and calls only functions that are safe in a handler: the clock, atomics and
/// `tgkill`.
extern "C" fn requested(_: libc::c_int) {
    // Relaxed: the kernel's delivery of the signal orders this store before the handler of the answer, which makes a release.
    SEEN.0.store(now(), Ordering::Relaxed);
    // Relaxed: the identifier of the thread was stored before the first request was sent.
    send(ASKS.load(Ordering::Relaxed), answer_signal());
}

/// Handles an answer. Runs in the thread that asks.
extern "C" fn answered(_: libc::c_int) {
    // Release: pairs with the acquire of the loop that waits in the same thread.
    ANSWERED.0.fetch_add(1, Ordering::Release);
}

/// A guard that removes a signal handler when it is dropped.
struct Handler {
    signal: libc::c_int,
    before: libc::sigaction,
}

impl Handler {
    fn install(
        signal: libc::c_int,
        handler: extern "C" fn(libc::c_int),
    ) -> Result<Handler, String> {
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: an action of zero bytes is valid: it has no flags, no mask, and the default handler, which the next line replaces. Both
        // pointers are valid for the call, which fills `before` if it succeeds.
        unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = handler as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            if libc::sigaction(signal, &raw const action, before.as_mut_ptr()) != 0 {
                let error = io::Error::last_os_error();
                return Err(format!("cannot handle signal {signal}: {error}"));
            }
            Ok(Handler {
                signal,
                before: before.assume_init(),
            })
        }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // SAFETY: `before` is a valid action, because the call in `install` has written it.
        unsafe {
            libc::sigaction(self.signal, &raw const self.before, ptr::null_mut());
        }
    }
}

pub(super) fn measure(laps: usize, cpus: [usize; 2]) -> Result<Vec<Lap>, String> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _handlers = [
        Handler::install(request_signal(), requested)?,
        Handler::install(answer_signal(), self::answered)?,
    ];
    // Both stores are Relaxed, because the threads that use these words start later.
    ANSWERS.store(0, Ordering::Relaxed);
    ANSWERED.0.store(0, Ordering::Relaxed);
    let answering = |over: &AtomicBool| {
        // Release: pairs with the acquire in the thread that asks. Requests may come after this store.
        ANSWERS.store(own_thread(), Ordering::Release);
        // Relaxed: the flag publishes no other writes.
        while !over.load(Ordering::Relaxed) {}
    };
    let asking = || {
        // Relaxed: a request goes through the kernel, which orders this store before the handler of the request.
        ASKS.store(own_thread(), Ordering::Relaxed);
        let thread = loop {
            // Acquire: pairs with the release of the thread that answers.
            let thread = ANSWERS.load(Ordering::Acquire);
            if thread != 0 {
                break thread;
            }
        };
        let lap = |lap: u64| {
            let begun = now();
            if !send(thread, request_signal()) {
                let error = io::Error::last_os_error();
                return Err(format!("the kernel refuses a signal: {error}"));
            }
            let sent = now();
            // Acquire: pairs with the release of the handler of the answer, which ran after the handler of the request.
            while ANSWERED.0.load(Ordering::Acquire) != lap {}
            let answered = now();
            Ok(Lap {
                // The answer may arrive before `send` returns.
                sent: sent - begun,
                // Relaxed: the kernel and the acquire above order the store of this time before this load.
                seen: SEEN.0.load(Ordering::Relaxed).saturating_sub(begun),
                answered: answered - begun,
            })
        };
        (1..=laps as u64).map(lap).collect()
    };
    pair(cpus, answering, asking)?
}
