//! Ends of the process in the middle of a program: if several workers end it at the same time, one reports the reason.

use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Its address identifies a thread.
    static THREAD: u8 = const { 0 };
}

/// The thread that ends the process; 0 while none does.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// Whether this thread ends the process from now on.
fn take() -> bool {
    let me = THREAD.with(|place| std::ptr::from_ref(place) as usize);
    // Relaxed: it says nothing about other memory.
    match ENDING.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(other) => other == me,
    }
}

/// Comes back on the thread that is first to end the process. Others wait here for the end.
pub fn alone() {
    while !take() {
        std::thread::park();
    }
}

/// [`alone`] for a signal handler.
pub fn alone_in_handler() {
    while !take() {
        // SAFETY: may be called in a handler.
        unsafe { libc::pause() };
    }
}
