//! Counts the threads of the process.

/// Whether the process has exactly this number of threads, at one instant of this call. Returns
/// false if the system does not tell.
///
/// Linux: the kernel's own count of the thread group, which changes under a lock with every start
/// and end of a thread. A walk through `/proc/self/task` would not show one instant.
pub(crate) fn has_threads(count: usize) -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        links().is_some_and(|links| links == count as u64 + 2) && told() == Some(count)
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = count;
        false
    }
}

/// Whether the calling thread seems to be the only one of the process: a guess, at a twentieth of the time of [`has_threads`].
#[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
pub(crate) fn has_one_thread() -> bool {
    links() == Some(3)
}

/// The links of the folder of threads: each thread's folder links to it, and it has two of its own.
/// It takes a twentieth of the time of the next one, but is documented nowhere.
#[cfg(all(target_os = "linux", not(miri)))]
fn links() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(std::fs::metadata("/proc/self/task").ok()?.nlink())
}

/// The system's answer.
#[cfg(all(target_os = "linux", not(miri)))]
fn told() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    count.trim().parse().ok()
}

/// Whether the current thread is the initial thread of the process, if [`has_threads`] works here.
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
    use super::{has_threads, is_initial_thread, links, told};
    use std::time::Instant;

    #[test]
    fn counts_threads() {
        assert!(!is_initial_thread());
        assert!(!has_threads(1));
        assert!(!has_threads(9999));
        // Other tests start and end threads meanwhile.
        assert!((0..1000).any(|_| told().is_some_and(has_threads)));
    }

    #[test]
    #[ignore = "measures"]
    fn cost() {
        let mut sum = 0;
        let since = Instant::now();
        sum += (0..1000).filter_map(|_| links()).sum::<u64>();
        println!("links: {:?}", since.elapsed() / 1000);
        let since = Instant::now();
        sum += (0..1000).filter_map(|_| told()).sum::<usize>() as u64;
        println!("told: {:?}", since.elapsed() / 1000);
        assert!(sum > 0);
    }
}
