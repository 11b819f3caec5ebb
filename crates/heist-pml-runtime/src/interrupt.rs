//! Interruption of a program that runs: by Ctrl-C, or because it has used up its stack or its memory.
//!
//! The function `ask` has the worker's next poll leave compiled code. Nothing is raised in the program: it ends where it is, and
//! the worker can run other programs. Functions of the runtime are not interrupted.

use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use super::stack::Reserve;
use super::worker::Worker;

/// The reason for which a program was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// Ctrl-C.
    Signal = 1,
    /// Its calls are nested too deeply.
    Stack,
    /// The heap has reached its limit.
    Memory,
}

static WORKER: AtomicPtr<Worker> = AtomicPtr::new(std::ptr::null_mut());
/// A [`Cause`]; 0 while nobody wants the program to end.
static CAUSE: AtomicU8 = AtomicU8::new(0);

extern "C" fn on_interrupt(_: i32) {
    ask(Cause::Signal);
}

/// Has the program that is watched end at its next poll. False if none is. May be called in a signal handler.
pub(super) fn ask(cause: Cause) -> bool {
    // Relaxed: the signal handler runs on the thread that looks at it, or the worker's poll is seen later than this in any case.
    CAUSE.store(cause as u8, Ordering::Relaxed);
    // Pairs with the release in `Watch::new`: the worker is whole.
    let worker = WORKER.load(Ordering::Acquire);
    if worker.is_null() {
        return false;
    }
    // SAFETY: `Watch` takes the address back before the worker goes.
    unsafe { Worker::ring(worker) };
    true
}

/// Returns true if somebody wants the program to end.
#[must_use]
pub fn asked() -> bool {
    // Relaxed: see `ask`.
    CAUSE.load(Ordering::Relaxed) != 0
}

/// The reason for which the watched program was interrupted.
#[must_use]
pub(super) fn cause() -> Cause {
    // Relaxed: the program has ended.
    match CAUSE.load(Ordering::Relaxed) {
        2 => Cause::Stack,
        3 => Cause::Memory,
        _ => Cause::Signal,
    }
}

/// While it lives, Ctrl-C interrupts what a worker runs instead of ending the process, and so does a stack or a heap that is used
/// up. One at a time.
#[derive(Debug)]
pub struct Watch {
    before: libc::sigaction,
    reserve: Option<Reserve>,
}

impl Watch {
    /// Watches for a worker that stays where it is as long as this lives.
    #[must_use]
    pub fn new(worker: &Worker) -> Watch {
        // Relaxed: nothing runs.
        CAUSE.store(0, Ordering::Relaxed);
        // Pairs with the acquire in `ask`.
        WORKER.store(std::ptr::from_ref(worker).cast_mut(), Ordering::Release);
        // SAFETY: plain system calls with whole arguments; the handler calls nothing.
        let before = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_interrupt as *const () as usize;
            // On whichever stack there is: compiled code has room below its stack pointer.
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGINT, &raw const action, &raw mut before);
            before
        };
        Watch {
            before,
            reserve: worker.own_stack().map(|stack| stack.reserve()),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.reserve.take());
        // Release: as in `new`; nobody reads what came before.
        WORKER.store(std::ptr::null_mut(), Ordering::Release);
        // SAFETY: what was set before this.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, std::ptr::null_mut()) };
        // Relaxed: nothing runs.
        CAUSE.store(0, Ordering::Relaxed);
    }
}
