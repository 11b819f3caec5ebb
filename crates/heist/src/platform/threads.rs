//! How many threads the process has.

/// How many threads the process has at one instant of this call; `None` where the system does not tell.
///
/// Linux: the kernel's own count of the thread group, which it keeps under a lock with every start
/// and end of a thread. A walk through `/proc/self/task` would not be of one instant.
pub(crate) fn thread_count() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"))?;
        line.trim().parse().ok()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        None
    }
}

/// Whether the current thread is the one that the process began with, where
/// [`thread_count`] tells something.
pub(crate) fn is_initial_thread() -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    // SAFETY: they only give numbers.
    unsafe {
        libc::gettid() == libc::getpid()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(miri), not(heist_model)))]
mod tests {
    use super::{is_initial_thread, thread_count};

    #[test]
    fn counts_this_thread_and_the_initial_one() {
        assert!(thread_count() >= Some(2));
        assert!(!is_initial_thread());
    }
}
