//! Cheap time stamps. The time stamps come from the time-stamp counter if it ticks evenly, and otherwise from [`Instant`].

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use looks::Instant;
use std::sync::OnceLock;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// A time stamp, in ticks of the clock that [`ticks`] reads.
pub(crate) type Ticks = u64;

/// A time and a tick that this process read at the same moment, at the first use of the clock.
static FIRST: OnceLock<(Instant, Ticks)> = OnceLock::new();

#[cfg(all(target_arch = "x86_64", not(miri), not(heist_model)))]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    use std::sync::OnceLock;

    /// The CPUID leaf that says whether the counter is invariant ("Invariant TSC", Intel SDM, volume 3B, section 17.17.1). `INVARIANT` is
    /// the bit in `edx` of this leaf.
    const POWER_LEAF: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;

    /// Returns true if the counter ticks at the same constant rate on all cores, and in all sleep
    /// states.
    fn is_invariant() -> bool {
        static INVARIANT_HERE: OnceLock<bool> = OnceLock::new();
        *INVARIANT_HERE.get_or_init(|| {
            #[allow(
                unused_unsafe,
                reason = "safe in later compilers than the oldest that is supported"
            )]
            // SAFETY: every x86-64 processor has the CPUID instruction, and the code first checks that the leaf exists.
            unsafe {
                __cpuid(0x8000_0000).eax >= POWER_LEAF && __cpuid(POWER_LEAF).edx & INVARIANT != 0
            }
        })
    }

    pub(super) fn read() -> Option<u64> {
        // SAFETY: every x86-64 processor has the instruction, and operating systems allow it in
        // user code.
        is_invariant().then(|| unsafe { _rdtsc() })
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri), not(heist_model))))]
mod counter {
    pub(super) fn read() -> Option<u64> {
        None
    }
}

/// A clock for WebAssembly. WebAssembly itself has no clock, and std's clock panics on this platform. So Heist's clock for WebAssembly
/// counts calls: it advances by a nanosecond at each call of `now`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod looks {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    static LOOKS: AtomicU64 = AtomicU64::new(0);

    #[derive(Clone, Copy)]
    pub(super) struct Instant(u64);

    impl Instant {
        pub(super) fn now() -> Self {
            // Relaxed: no other access depends on the order of the counts.
            Instant(LOOKS.fetch_add(1, Ordering::Relaxed))
        }

        pub(super) fn elapsed(self) -> Duration {
            Duration::from_nanos(Instant::now().0.saturating_sub(self.0))
        }
    }
}

/// Returns the current time. Later calls on the same thread never return an earlier time.
pub(crate) fn ticks() -> Ticks {
    counter::read().unwrap_or_else(|| first().0.elapsed().as_nanos() as u64)
}

fn first() -> (Instant, Ticks) {
    *FIRST.get_or_init(|| (Instant::now(), counter::read().unwrap_or(0)))
}

/// The duration of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    nanos_per_tick: f64,
}

impl Scale {
    /// Records the first time and tick of the process, unless an earlier call has done so. The earlier the process records them, the more
    /// exact is [`measure`](Self::measure).
    pub(crate) fn prepare() {
        first();
    }

    /// Returns the rate of the ticks, measured over the time since this process first used the clock.
    pub(crate) fn measure() -> Self {
        let (instant, ticks) = first();
        // The thread reads the ticks between two readings of the time. If the system interrupts the thread, the two readings of the time
        // are far apart.
        let (mut best, mut scale) = (u64::MAX, Scale::NANOS);
        for _ in 0..8 {
            let Some(before) = counter::read() else {
                return Scale::NANOS;
            };
            let nanos = instant.elapsed().as_nanos() as f64;
            let after = counter::read().unwrap_or(before);
            let spread = after.saturating_sub(before);
            if spread < best && before > ticks {
                best = spread;
                scale = Scale {
                    nanos_per_tick: nanos / ((before - ticks) as f64 + spread as f64 / 2.0),
                };
            }
        }
        scale
    }

    /// Returns the number of ticks in a second.
    fn per_second(self) -> f64 {
        1e9 / self.nanos_per_tick
    }

    /// The scale of a clock whose ticks are nanoseconds.
    const NANOS: Scale = Scale {
        nanos_per_tick: 1.0,
    };

    /// Converts ticks to nanoseconds.
    pub(crate) fn nanos(self, ticks: Ticks) -> u64 {
        (ticks as f64 * self.nanos_per_tick) as u64
    }
}

/// Returns the number of ticks per second of the workers' clock: see [`Counters::lost_ticks`](crate::Counters). On x86-64 the result is the
/// rate of the time-stamp counter if the counter ticks evenly, and otherwise 10^9. The first call takes about 2 ms.
///
/// ```
/// assert!(heist::ticks_per_second() > 1e6);
/// ```
#[must_use]
pub fn ticks_per_second() -> f64 {
    /// The shortest time in which the rate can be measured.
    const SPAN: Duration = Duration::from_millis(2);
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        while first().0.elapsed() < SPAN {
            std::hint::spin_loop();
        }
        Scale::measure().per_second()
    })
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Scale, ticks};
    use std::time::{Duration, Instant};

    #[test]
    fn ticks_are_time() {
        Scale::prepare();
        // Each pair has the time that the clock measured and the time that the thread slept.
        let once = || {
            let (instant, began) = (Instant::now(), ticks());
            std::thread::sleep(Duration::from_millis(30));
            let (slept, ended) = (instant.elapsed(), ticks());
            let told = Duration::from_nanos(Scale::measure().nanos(ended - began));
            (told, slept)
        };
        // The system may stop this thread between its readings of two clocks.
        let mut all = Vec::new();
        let is_right = (0..20).any(|_| {
            let (told, slept) = once();
            all.push((told, slept));
            told.abs_diff(slept) < Duration::from_millis(5)
        });
        assert!(is_right, "told and slept: {all:?}");
    }
}
