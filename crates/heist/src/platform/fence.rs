//! Both halves of the asymmetric fence, and the registration of the process, which the heavy half needs.
//!
//! Linux requires a process to register for `membarrier`. In a process with one thread, the registration takes several microseconds. In a
//! process with several threads, the registration waits 8 to 18 ms for the kernel's RCU. No event can interrupt this wait, not even the end
//! of the process. So no thread waits for the registration:
//!
//! 1. The first pool calls [`prepare_fence`] before it starts a thread. If the caller is the only thread, this call
//!    registers the process.
//! 2. If the process has other threads, a separate thread registers the process after [`PAUSE`]. A process that ends during this pause does
//!    not wait for the registration.
//! 3. Until the process is registered, [`fence_is_ready`] returns false, and all code works without the fence. Deques
//!    take a lock at each pop, and sleepers have a sentinel. A thread that puts a value into a cell of an I-structure
//!    looks for waiters.
//! 4. After the registration, `fence_is_ready` always returns true. Each user of the fence switches to it separately. Two documents prove
//!    that these switches are sound: the deque's essay ("A fence that the owner gains later"), and the README of `park` for the sleepers.
//!
//! All users rely on one fact: `fence_is_ready` is an Acquire load of a word, and a Release store sets
//! this word after the registration has returned. So after `fence_is_ready` has returned true to one thread,
//! [`heavy_fence`] is a real fence for this thread, and for every thread that has learnt of the result. (The light half
//! of the fence is active from the start.)

/// Returns true if one thread of this process can order the memory accesses of all threads. Only Linux with private expedited `membarrier`
/// (since 4.14) provides such a fence.
///
/// Heist also works without the fence: a worker then takes a short lock at every join. The first pool of a process that already has several
/// threads begins without the fence, and gets the fence about 60 ms later. Heist waits 50 ms before it registers the process, and the
/// registration takes several milliseconds. This function registers the process immediately. If the process is not registered yet, the call
/// can take 20 ms; in a process with one thread, it takes several microseconds.
///
/// ```
/// // So that the pools of a program with threads of its own have it from the start:
/// let available = heist::asymmetric_fence_available();
/// assert_eq!(available, heist::asymmetric_fence_available());
/// ```
#[must_use]
pub fn asymmetric_fence_available() -> bool {
    imp::settle()
}

/// Starts the registration of the process, if the platform has the fence. Waits for the registration only if
/// the process has one thread: see the head of this file.
pub(crate) fn prepare_fence() {
    imp::prepare();
}

/// Returns true if [`heavy_fence`] is a real fence by now. Once the result is true, it stays true.
pub(crate) fn fence_is_ready() -> bool {
    imp::is_ready()
}

/// Makes every running thread of the process execute a full fence (Linux: `membarrier`, about 1 to 5 us while other threads run). While
/// [`fence_is_ready`] is false, this function is a fence only for the calling thread, and no other thread relies on it.
pub(crate) fn heavy_fence() {
    imp::heavy_fence();
}

/// Executes the light half of the fence: keeps the compiler from moving a later load above an earlier store. The heavy fence of another
/// thread keeps the processor from doing so.
#[inline(always)]
pub(crate) fn light_fence() {
    imp::light_fence();
}

/// The fences of models. Loom has no asymmetric fences, so both halves are full fences in a model. Two full fences order the accesses as
/// the two halves do.
#[cfg(heist_model)]
mod imp {
    use crate::platform::shim::{Ordering, fence};

    pub(super) fn settle() -> bool {
        true
    }

    pub(super) fn prepare() {}

    pub(super) fn is_ready() -> bool {
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
    use crate::platform::{ForkGeneration, has_one_thread};
    use std::sync::atomic::{AtomicU64, Ordering, compiler_fence, fence};
    use std::thread;
    use std::time::Duration;

    // From linux/membarrier.h.
    const QUERY: libc::c_int = 0;
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    /// The time for which the registering thread waits before it registers. A process that ends within this time is not delayed. A process
    /// that ends during the registration can take 18 ms longer to end.
    const PAUSE: Duration = Duration::from_millis(50);
    /// The stack size of the registering thread.
    const STACK: usize = 64 << 10;

    /// No thread has requested the registration yet.
    const UNASKED: u64 = 0;
    /// The platform has no fence.
    const ABSENT: u64 = 1;
    /// The process is registered.
    const READY: u64 = 2;
    /// A thread is registering. The higher bits contain the fork generation in which the thread was started, because a
    /// child of `fork()` does not have this thread.
    const PENDING: u64 = 3;

    /// The state of the registration. The registering thread stores the new state with Release, which pairs with the
    /// Acquire of readers.
    static STATE: AtomicU64 = AtomicU64::new(UNASKED);

    fn membarrier(command: libc::c_int) -> libc::c_long {
        // SAFETY: the system call takes two integers, and a CPU number that it ignores without a flag. The call accesses no memory of the
        // process.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    fn is_supported() -> bool {
        // This variable serves to measure the benefit of the fence, and to test on Linux the code that runs without the fence.
        if std::env::var_os("HEIST_NO_MEMBARRIER").is_some() {
            return false;
        }
        let commands = membarrier(QUERY);
        commands >= 0 && commands & libc::c_long::from(PRIVATE_EXPEDITED) != 0
    }

    pub(super) fn is_ready() -> bool {
        STATE.load(Ordering::Acquire) == READY
    }

    /// Registers the process, unless it is registered already. Several threads may run this function at the same time. The system has
    /// registered the process when the first call returns, and all threads get the same result.
    fn register() -> bool {
        let now = STATE.load(Ordering::Acquire);
        if now == READY || now == ABSENT {
            return now == READY;
        }
        if is_supported() && membarrier(REGISTER_PRIVATE_EXPEDITED) == 0 {
            STATE.store(READY, Ordering::Release);
            return true;
        }
        // If another thread has stored a state meanwhile, that state is kept, so that
        // `fence_is_ready` never goes back to false.
        match STATE.compare_exchange(now, ABSENT, Ordering::Relaxed, Ordering::Acquire) {
            Ok(_) => false,
            Err(now) => now == READY,
        }
    }

    pub(super) fn settle() -> bool {
        register()
    }

    pub(super) fn prepare() {
        let now = STATE.load(Ordering::Acquire);
        if now == READY || now == ABSENT {
            return;
        }
        let pending = u64::from(ForkGeneration::current().number()) << 2 | PENDING;
        // Relaxed: if another thread was faster, this thread leaves the registration to that thread, and reads nothing that it wrote.
        let first = now != pending
            && STATE
                .compare_exchange(now, pending, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if !first {
            return;
        }
        if has_one_thread() || !is_supported() {
            register();
            return;
        }
        let later = || {
            thread::sleep(PAUSE);
            register();
        };
        let started = thread::Builder::new()
            .name("heist-fence".into())
            .stack_size(STACK)
            .spawn(later);
        if started.is_err() {
            // No thread could be started, so this thread registers the process.
            register();
        }
    }

    pub(super) fn heavy_fence() {
        if is_ready() {
            let result = membarrier(PRIVATE_EXPEDITED);
            // The call cannot fail once the process is registered. The code checks the result nevertheless, because a silent failure would
            // lose a frame.
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

    pub(super) fn settle() -> bool {
        false
    }

    pub(super) fn prepare() {}

    pub(super) fn is_ready() -> bool {
        false
    }

    pub(super) fn heavy_fence() {
        fence(Ordering::SeqCst);
    }

    #[inline(always)]
    pub(super) fn light_fence() {}
}
