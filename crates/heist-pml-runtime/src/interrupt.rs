//! Interruption of a program that runs, by Ctrl-C.
//!
//! The signal's handler has the worker's next poll leave compiled code. Nothing is raised in the program: it ends where it is, and
//! the worker can run other programs. Functions of the runtime are not interrupted.

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::worker::Worker;

static WORKER: AtomicPtr<Worker> = AtomicPtr::new(std::ptr::null_mut());
static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_interrupt(_: i32) {
    ASKED.store(true, Ordering::Relaxed);
    let worker = WORKER.load(Ordering::Acquire);
    if !worker.is_null() {
        // SAFETY: `Watch` takes the address back before the worker goes.
        unsafe { Worker::ring(worker) };
    }
}

/// Returns true if somebody wants the program to end.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// While it lives, Ctrl-C interrupts what a worker runs instead of ending the process. One at a time.
#[derive(Debug)]
pub struct Watch {
    before: libc::sigaction,
}

impl Watch {
    /// Watches for a worker that stays where it is as long as this lives.
    #[must_use]
    pub fn new(worker: &Worker) -> Watch {
        ASKED.store(false, Ordering::Relaxed);
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
        Watch { before }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WORKER.store(std::ptr::null_mut(), Ordering::Release);
        // SAFETY: what was set before this.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, std::ptr::null_mut()) };
        ASKED.store(false, Ordering::Relaxed);
    }
}
