//! The signal that a thief sends to a victim that does not check for requests. The signal's handler answers requests on the victim's
//! thread.

pub(in crate::worker) use imp::{Thread, install, send, this_thread};

#[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
mod imp {
    use crate::worker::local::local;
    use crate::worker::thread::WorkerThread;
    use std::mem::{MaybeUninit, zeroed};
    use std::sync::OnceLock;

    /// The number of the signal. The signal is `SIGURG`, which is meant for "urgent conditions on sockets". If no handler is set, the
    /// system ignores this signal, so a late signal does no harm. Programs hardly ever use `SIGURG`. (The Go runtime uses it in the same
    /// way.)
    const SIGNAL: libc::c_int = libc::SIGURG;

    /// The program's own handler of this signal.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// The system's identifier of a thread in the process.
    pub(in crate::worker) type Thread = libc::pthread_t;

    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    /// Installs the handler, if it is not installed yet. The handler stays until the process ends.
    pub(in crate::worker) fn install() {
        BEFORE.get_or_init(|| {
            let mut before = MaybeUninit::<libc::sigaction>::uninit();
            let handler: Handler = on_signal;
            // SAFETY: an all-zero `sigaction` is valid, and both structures live during the call. The handler takes
            // only steps that a signal handler may take: loads and stores of atomics, of its thread's words, and of
            // data that live until the thread ends.
            unsafe {
                let mut action: libc::sigaction = zeroed();
                action.sa_sigaction = handler as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut action.sa_mask);
                let result = libc::sigaction(SIGNAL, &raw const action, before.as_mut_ptr());
                assert_eq!(result, 0, "heist: no handler can be installed for SIGURG");
                before.assume_init()
            }
        });
    }

    extern "C" fn on_signal(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the call returns the address of this thread's `errno`, which is valid while the thread lives.
        let error = unsafe { *libc::__errno_location() };
        if let Some(worker) = local().worker() {
            worker.answer_interrupting();
        }
        // `BEFORE` has no value only in the moment between the effect of `sigaction` in `install` and the end of `install`.
        if let Some(before) = BEFORE.get() {
            match before.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {}
                address if before.sa_flags & libc::SA_SIGINFO != 0 => {
                    // SAFETY: the program installed the address as a handler with three arguments.
                    let handler: Handler = unsafe { std::mem::transmute(address) };
                    handler(signal, info, context);
                }
                address => {
                    // SAFETY: the program installed the address as a handler with one argument.
                    let handler: extern "C" fn(libc::c_int) =
                        unsafe { std::mem::transmute(address) };
                    handler(signal);
                }
            }
        }
        // SAFETY: the call returns the address of this thread's `errno`, which is valid while the
        // thread lives.
        unsafe { *libc::__errno_location() = error };
    }

    /// Returns the current thread's identifier for [`send`].
    pub(in crate::worker) fn this_thread() -> Thread {
        // SAFETY: the call has no preconditions.
        unsafe { libc::pthread_self() }
    }

    /// Sends the signal to a worker's thread. Returns true on success. The caller must be a worker that has not
    /// left its pool, and the victim must be a worker of the same pool. So the victim's thread has not ended.
    pub(in crate::worker) fn send(victim: &WorkerThread) -> bool {
        // SAFETY: the victim's thread has not ended, because the caller has not left the pool.
        unsafe { libc::pthread_kill(victim.thread_id, SIGNAL) == 0 }
    }
}

#[cfg(not(all(target_os = "linux", not(miri), not(heist_model))))]
mod imp {
    use crate::worker::thread::WorkerThread;

    /// An empty type in place of a thread's identifier, for platforms without signals.
    pub(in crate::worker) type Thread = ();

    pub(in crate::worker) fn install() {}

    pub(in crate::worker) fn this_thread() -> Thread {}

    pub(in crate::worker) fn send(_: &WorkerThread) -> bool {
        false
    }
}
