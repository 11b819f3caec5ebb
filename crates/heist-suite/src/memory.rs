//! Settings of the allocator for memory that is given back.

/// Makes the allocator keep memory that is freed from now on, instead of giving it back to the system. Whether it gives memory
/// back depends on what ran before, and a vector of megabytes takes twice as long if its pages must be requested again.
///
/// Applies to glibc's allocator only; others are not changed.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The largest value that glibc accepts. Larger blocks are mapped one by one.
        const MAPPED_FROM: i32 = 32 << 20;
        // SAFETY: may be called at any time; what it refuses it leaves as it is.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
            libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        }
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu", not(miri)))]
mod tests {
    use super::keep_freed;

    /// Number of page faults of this thread until now.
    fn page_faults() -> i64 {
        // SAFETY: numbers, for which 0 is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: room for the answer.
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
