//! Counts the threads of the process.

/// Returns true if the process has exactly `count` threads at some instant during this call.
/// Returns false if the system does not provide the number.
///
/// Linux provides the kernel's own count of the thread group. The kernel changes this count under a lock whenever a thread starts or ends.
/// A listing of `/proc/self/task` would not show the threads of a single instant.
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

/// Returns true if the calling thread seems to be the only thread of the process. The result is a guess. The call takes
/// a twentieth of the time of [`has_threads`].
#[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
pub(crate) fn has_one_thread() -> bool {
    links() == Some(3)
}

/// Returns the number of links to the folder `/proc/self/task`: one for the folder of each thread,
/// and two more. The call takes a twentieth of the time of [`told`], but no document describes the
/// number.
#[cfg(all(target_os = "linux", not(miri)))]
fn links() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(std::fs::metadata("/proc/self/task").ok()?.nlink())
}

/// Returns the number of threads that the system reports.
#[cfg(all(target_os = "linux", not(miri)))]
fn told() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    count.trim().parse().ok()
}

/// Returns true if the current thread is the initial thread of the process and [`has_threads`] works on
/// this platform.
pub(crate) fn is_initial_thread() -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    // SAFETY: the calls only return numbers.
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
        // Other tests start and end threads at the same time, so the check may need several attempts.
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
