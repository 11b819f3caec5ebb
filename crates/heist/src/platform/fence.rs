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

/// The light half: keeps the compiler from moving a load above a store. The processor is stopped from doing so by
/// the other side's heavy fence, when one is needed. Only for where [`asymmetric_fence_available`] is true.
#[inline(always)]
pub(crate) fn light_fence() {
    imp::light_fence();
}

/// loom knows no asymmetric fences: a model gets two real ones, which the pair amounts to.
#[cfg(heist_model)]
mod imp {
    use crate::platform::shim::{Ordering, fence};

    pub(super) fn available() -> bool {
        true
    }

    pub(super) fn heavy_fence() {
        fence(Ordering::SeqCst);
    }

    pub(super) fn light_fence() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{Ordering, compiler_fence, fence};

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

    #[inline(always)]
    pub(super) fn light_fence() {
        compiler_fence(Ordering::SeqCst);
    }
}

#[cfg(not(any(heist_model, all(target_os = "linux", not(miri)))))]
mod imp {
    use std::sync::atomic::{Ordering, fence};

    pub(super) fn available() -> bool {
        false
    }

    pub(super) fn heavy_fence() {
        fence(Ordering::SeqCst);
    }

    #[inline(always)]
    pub(super) fn light_fence() {}
}
