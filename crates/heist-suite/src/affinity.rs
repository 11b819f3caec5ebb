//! Reads the set of CPUs that a thread may use, and confines threads to some of them.

#[cfg(target_os = "linux")]
pub use linux::{allowed, confine_this_thread};

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_ulong;
    use std::io;

    const WORD_BITS: usize = c_ulong::BITS as usize;

    /// Returns the CPUs that the calling thread may use, in ascending order.
    pub fn allowed() -> io::Result<Vec<usize>> {
        // The kernel refuses a mask that is shorter than its own mask, so this loop lengthens the mask until the kernel accepts it.
        // (`libc::cpu_set_t` has room for only 1024 CPUs.)
        let mut words = 16;
        loop {
            let mut mask = vec![0 as c_ulong; words];
            // SAFETY: `mask` is valid for writes of its own size, which the call passes, and the kernel writes no more than that.
            let result = unsafe {
                libc::sched_getaffinity(0, size_of_val(&*mask), mask.as_mut_ptr().cast())
            };
            if result == 0 {
                return Ok((0..words * WORD_BITS)
                    .filter(|cpu| mask[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1 == 1)
                    .collect());
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINVAL) || words >= 4096 {
                return Err(error);
            }
            words *= 2;
        }
    }

    /// Confines the calling thread, and the threads that it will create, to `cpus`.
    pub fn confine_this_thread(cpus: &[usize]) -> io::Result<()> {
        let words = cpus.iter().max().map_or(0, |most| most / WORD_BITS) + 1;
        let mut mask = vec![0 as c_ulong; words];
        for cpu in cpus {
            mask[cpu / WORD_BITS] |= 1 << (cpu % WORD_BITS);
        }
        // SAFETY: `mask` is valid for reads of its own size, which the call passes.
        let result =
            unsafe { libc::sched_setaffinity(0, size_of_val(&*mask), mask.as_ptr().cast()) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{allowed, confine_this_thread};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::io;

    /// Returns an error, because this crate reads the allowed CPUs only on Linux.
    pub fn allowed() -> io::Result<Vec<usize>> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no affinity masks that we know of",
        ))
    }

    /// Returns an error, because this crate confines threads only on Linux.
    pub fn confine_this_thread(_: &[usize]) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no affinity masks that we know of",
        ))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_confined_thread_is_allowed_just_that() {
        // Use a separate thread, so that the mask does not affect other tests.
        std::thread::spawn(|| {
            let all = allowed().unwrap();
            let last = all[all.len() - 1];
            confine_this_thread(&[last]).unwrap();
            assert_eq!(allowed().unwrap(), [last]);
            assert_eq!(std::thread::spawn(allowed).join().unwrap().unwrap(), [last]);
        })
        .join()
        .unwrap();
    }
}
