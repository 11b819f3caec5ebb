//! The heavy half of the asymmetric fence.

/// True where this process can order all its threads' memory accesses from one of them: Linux
/// with private expedited `membarrier` (since 4.14).
///
/// Without it Heist works too: a worker then takes a short lock at every join.
#[must_use]
pub fn asymmetric_fence_available() -> bool {
    imp::available()
}

/// Makes every running thread of the process execute a full fence (Linux: `membarrier`, about
/// 1 to 5 us while others run). A no-op where [`asymmetric_fence_available`] is false; the deques
/// do not rely on it there.
pub(crate) fn heavy_fence() {
    imp::heavy_fence();
}

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{Ordering, fence};

    // From linux/membarrier.h.
    const QUERY: libc::c_int = 0;
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> libc::c_long {
        // SAFETY: the system call takes two integers and a CPU number that is ignored without a
        // flag; it touches no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    pub(super) fn available() -> bool {
        static AVAILABLE: OnceLock<bool> = OnceLock::new();
        *AVAILABLE.get_or_init(|| {
            // For measuring what the fence is worth, and for testing the other path on Linux.
            if std::env::var_os("HEIST_NO_MEMBARRIER").is_some() {
                return false;
            }
            let commands = membarrier(QUERY);
            commands >= 0
                && commands & libc::c_long::from(PRIVATE_EXPEDITED) != 0
                && membarrier(REGISTER_PRIVATE_EXPEDITED) == 0
        })
    }

    pub(super) fn heavy_fence() {
        if available() {
            let result = membarrier(PRIVATE_EXPEDITED);
            // It cannot fail once registered; a silent failure would be a lost frame.
            assert_eq!(
                result, 0,
                "heist: membarrier failed after it was registered"
            );
        }
        fence(Ordering::SeqCst);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod imp {
    use std::sync::atomic::{Ordering, fence};

    pub(super) fn available() -> bool {
        false
    }

    pub(super) fn heavy_fence() {
        fence(Ordering::SeqCst);
    }
}
