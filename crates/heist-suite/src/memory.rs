//! Sets how the allocator treats freed memory.

/// Makes the allocator keep freed memory from now on, instead of returning this memory to the system. By default, the allocator may return
/// memory or keep it, depending on earlier runs. A run with a vector of megabytes takes twice as long if the system has to provide the
/// vector's pages again.
///
/// This function affects only glibc's allocator.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The largest value that glibc accepts, in bytes. The allocator maps each larger block separately.
        const MAPPED_FROM: i32 = 32 << 20;
        // SAFETY: `mallopt` may be called at any time, and a value that it refuses has no effect.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
            libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        }
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu", not(miri)))]
mod tests {
    use super::keep_freed;

    /// Returns the number of page faults of this thread so far.
    fn page_faults() -> i64 {
        // SAFETY: the struct consists of numbers, for which zero bytes are a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` has the type of the value that the call writes.
        unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
        usage.ru_minflt
    }

    #[test]
    fn a_second_vector_finds_the_pages_of_the_first() {
        keep_freed();
        let filled = || drop(std::hint::black_box(vec![1_u8; 20 << 20]));
        filled();
        let before = page_faults();
        filled();
        assert!(page_faults() - before < 500, "5120 pages");
    }
}
