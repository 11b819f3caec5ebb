//! Processor time of the program.

use std::time::Duration;

/// Returns the CPU time that all threads of this process have used together, or `None` if the system does not
/// provide it. This function makes a system call.
#[cfg(all(unix, not(miri)))]
pub(crate) fn process_cpu_time() -> Option<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local `timespec`, which exists during the call.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let secs = u64::try_from(time.tv_sec).ok()?;
    let nanos = u32::try_from(time.tv_nsec).ok()?;
    (code == 0).then(|| Duration::new(secs, nanos))
}

/// Returns the CPU time that all threads of this process have used together, or `None` if the system does not provide it.
#[cfg(not(all(unix, not(miri))))]
pub(crate) fn process_cpu_time() -> Option<Duration> {
    None
}

#[cfg(all(test, unix, not(miri), not(heist_model)))]
mod tests {
    use super::process_cpu_time;
    use std::time::{Duration, Instant};

    #[test]
    fn it_passes_as_something_is_computed() {
        let before = process_cpu_time().expect("Unix tells");
        let began = Instant::now();
        let after = loop {
            let now = process_cpu_time().expect("Unix tells");
            if now >= before + Duration::from_millis(5) {
                break now;
            }
            assert!(began.elapsed() < Duration::from_secs(60));
        };
        assert!(after > before);
    }
}
