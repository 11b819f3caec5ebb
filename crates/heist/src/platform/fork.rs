//! Detects that the process is a child of `fork()`, in which no worker exists.

use std::sync::atomic::{AtomicU32, Ordering};

/// Number of `fork()`s between the first process and this process.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// An identifier of the process in which a pool was built. The identifier distinguishes the process from its parents
/// and children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForkGeneration(u32);

impl ForkGeneration {
    /// Returns a number that is different in a process and in each of its ancestors, unless 2^32 forks lie between the two processes.
    #[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
    pub(super) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn current() -> Self {
        // Relaxed: a child writes the number while it has one thread, so the write comes before
        // everything that its later threads do.
        ForkGeneration(GENERATION.load(Ordering::Relaxed))
    }

    /// Returns true if this value was taken in the current process. Returns false if the value was taken in an ancestor of this process.
    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }
}

/// Starts to count forks, and installs `in_child`. Every later child calls this function, on the
/// thread that forked. `in_child` must be async-signal-safe. Later calls do nothing.
pub(crate) fn watch_forks(in_child: extern "C" fn()) {
    #[cfg(any(not(unix), miri))]
    let _ = in_child;
    #[cfg(all(unix, not(miri)))]
    {
        extern "C" fn count() {
            GENERATION.fetch_add(1, Ordering::Relaxed);
        }
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            // SAFETY: `count` only increments an atomic, which is async-signal-safe, and the caller
            // promises that `in_child` is, too.
            unsafe {
                libc::pthread_atfork(None, None, Some(count));
                libc::pthread_atfork(None, None, Some(in_child));
            }
        });
    }
}
