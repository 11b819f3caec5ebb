//! The processors that this process may use.

/// The CPUs the calling thread may run on, in ascending order; empty where the platform does not
/// tell.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: an all-zero `cpu_set_t` is a valid empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is a local of the size passed.
        let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
        if result == 0 {
            return (0..libc::CPU_SETSIZE as usize)
                // SAFETY: the index is below CPU_SETSIZE.
                .filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) })
                .collect();
        }
    }
    Vec::new()
}

/// The CPU that the calling thread runs on, where the platform tells. It may run on another one by now.
pub(crate) fn current_cpu() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: no precondition.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    None
}

/// Binds the calling thread to one CPU. False if the platform or the system refuses.
pub(crate) fn pin_current_thread(cpu: usize) -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        if cpu >= libc::CPU_SETSIZE as usize {
            return false;
        }
        // SAFETY: an all-zero `cpu_set_t` is a valid empty set; the index is below CPU_SETSIZE.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut set);
            libc::sched_setaffinity(0, size_of_val(&set), &raw const set) == 0
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = cpu;
        false
    }
}
