//! Ends the process in the middle of a program. If several workers end the process at the same time, only one worker reports the reason.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::process::exit::IMPOSSIBLE;
use crate::process::files;

thread_local! {
    /// A variable whose address identifies the thread.
    static THREAD: u8 = const { 0 };
}

/// The address that identifies the thread that ends the process; 0 while there is no such thread.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// Registers this thread as the thread that ends the process, unless another thread is registered. Returns true if this thread is
/// registered.
fn take() -> bool {
    let me = THREAD.with(|place| std::ptr::from_ref(place) as usize);
    // Relaxed: the word protects no other memory.
    match ENDING.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(other) => other == me,
    }
}

/// The function that writes the heap profiles of the process; not set if there are none.
static PROFILES: OnceLock<fn()> = OnceLock::new();

/// Registers the function that writes the heap profiles of the process. [`fatal`] calls this function.
pub(crate) fn on_fatal(write: fn()) {
    let _ = PROFILES.set(write);
}

/// Ends the process with a message, for a fault that no program can handle.
pub fn fatal(message: &str) -> ! {
    alone();
    if let Some(write) = PROFILES.get() {
        write();
    }
    files::flush_all();
    eprintln!("{message}");
    std::process::exit(IMPOSSIBLE)
}

/// Returns if the calling thread is the first thread that ends the process. On any other thread, waits until the process has ended.
pub fn alone() {
    while !take() {
        std::thread::park();
    }
}

/// Does the work of [`alone`] in a signal handler.
pub fn alone_in_handler() {
    while !take() {
        // SAFETY: `pause` may be called in a handler, and uses no memory.
        unsafe { libc::pause() };
    }
}
