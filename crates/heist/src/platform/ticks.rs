//! The finest clock there is, for what takes nanoseconds.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A moment in ticks since some other moment: of the processor's time-stamp counter on x86-64, which all CPUs of a
/// machine share and whose rate does not change, else nanoseconds.
#[inline]
pub(crate) fn ticks() -> u64 {
    imp::ticks()
}

/// How many ticks a second has, in which workers take the time: see [`Counters::lost_ticks`](crate::Counters). On x86-64
/// the rate of the time-stamp counter, else a thousand million. The first call takes some 2 ms.
///
/// ```
/// assert!(heist::ticks_per_second() > 1e6);
/// ```
#[must_use]
pub fn ticks_per_second() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        const SPAN: Duration = Duration::from_millis(2);
        let (from, began) = (ticks(), Instant::now());
        while began.elapsed() < SPAN {
            std::hint::spin_loop();
        }
        let (to, took) = (ticks(), began.elapsed());
        to.wrapping_sub(from) as f64 / took.as_secs_f64()
    })
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod imp {
    #[inline]
    pub(super) fn ticks() -> u64 {
        // SAFETY: every x86-64 processor has the instruction, and user code may execute it on all systems that
        // Rust's standard library knows.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod imp {
    use std::sync::OnceLock;
    use std::time::Instant;

    pub(super) fn ticks() -> u64 {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{ticks, ticks_per_second};
    use std::time::{Duration, Instant};

    #[test]
    fn ticks_tell_the_time() {
        let (from, began) = (ticks(), Instant::now());
        std::thread::sleep(Duration::from_millis(30));
        let seconds = (ticks() - from) as f64 / ticks_per_second();
        let took = began.elapsed().as_secs_f64();
        assert!(
            (0.025..took * 1.2).contains(&seconds),
            "{seconds} s of {took} s"
        );
    }
}
