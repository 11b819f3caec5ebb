//! The number of preemptions of this process, and the CPU time of a thread.

/// Returns the number of times that a thread of this process has lost its CPU although it was ready to run. Returns `None` on systems other
/// than Linux. Takes a system call.
#[must_use]
pub fn preemptions() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the struct consists of numbers, for which zero bytes are a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer leads to a value of the type that the call writes.
        let done = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
        if done == 0 {
            return u64::try_from(usage.ru_nivcsw).ok();
        }
    }
    None
}

/// Returns the time in nanoseconds for which this thread has run, or `None` if the system does not measure it. Takes a system call.
pub(crate) fn thread_time() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the pointer leads to a value of the type that the call writes.
        let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        if done == 0 {
            let (seconds, nanos) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
            return Some(seconds.ok()? * 1_000_000_000 + nanos.ok()?);
        }
    }
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{preemptions, thread_time};
    use std::time::Duration;

    #[test]
    fn the_count_grows() {
        let before = preemptions().unwrap();
        assert!(preemptions().unwrap() >= before);
    }

    #[test]
    fn a_thread_that_sleeps_does_not_run() {
        let before = thread_time().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let ran = Duration::from_nanos(thread_time().unwrap() - before);
        assert!(ran < Duration::from_millis(25), "{ran:?}");
    }
}
