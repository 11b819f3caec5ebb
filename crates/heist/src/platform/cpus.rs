//! The processors that this process may use.

/// Returns the CPUs on which the calling thread may run, in ascending order, or an empty list if
/// the platform does not provide them.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: an all-zero `cpu_set_t` is a valid empty set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is a local variable of the size that is passed.
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

/// Returns the CPU on which the calling thread runs, if the platform provides it. When this call returns, the thread may already
/// have moved to another CPU.
pub(crate) fn current_cpu() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: the call has no precondition.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    None
}

/// A set of CPUs to which a thread can be bound; an empty type on platforms without such sets.
#[derive(Clone, Copy)]
pub(crate) struct CpuSet {
    #[cfg(all(target_os = "linux", not(miri)))]
    set: libc::cpu_set_t,
}

impl CpuSet {
    /// Returns the CPUs on which the calling thread may run, if the platform provides them.
    pub(crate) fn of_this_thread() -> Option<Self> {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: an all-zero `cpu_set_t` is a valid empty set, and the set is a local variable
            // of the size that is passed.
            unsafe {
                let mut set: libc::cpu_set_t = std::mem::zeroed();
                let result = libc::sched_getaffinity(0, size_of_val(&set), &raw mut set);
                (result == 0).then_some(CpuSet { set })
            }
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        None
    }

    /// Binds the calling thread to the CPUs of this set. Returns false if the platform or the system refuses.
    pub(crate) fn bind(&self) -> bool {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: the set has the size that is passed, and exists during the call.
            unsafe { libc::sched_setaffinity(0, size_of_val(&self.set), &raw const self.set) == 0 }
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        false
    }

    /// Returns the CPU if the set has exactly one.
    pub(crate) fn single(&self) -> Option<usize> {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            let mut cpus = (0..libc::CPU_SETSIZE as usize)
                // SAFETY: the index is below CPU_SETSIZE.
                .filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &self.set) });
            let first = cpus.next()?;
            cpus.next().is_none().then_some(first)
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        None
    }
}

impl std::fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CpuSet")
            .field("single", &self.single())
            .finish_non_exhaustive()
    }
}

/// Binds the calling thread to one CPU. Returns false if the platform or the system refuses.
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
