//! The clock of recordings: the processor's time-stamp counter on x86-64, and the system's clock on other processors.

use std::time::Instant;

/// Returns the time, in ticks.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn now() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and Linux permits user programs to execute it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Returns the time, in ticks.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn now() -> u64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The start of a measurement of the duration of a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    ticks: u64,
    began: Instant,
}

impl Rate {
    pub(super) fn start() -> Rate {
        Rate {
            ticks: now(),
            began: Instant::now(),
        }
    }

    pub(super) fn elapsed_ms(self) -> u128 {
        self.began.elapsed().as_millis()
    }

    /// Returns the duration of a tick in picoseconds. At least a millisecond should have passed since the start.
    pub(super) fn picoseconds(self) -> f64 {
        let ps = self.began.elapsed().as_nanos() as f64 * 1e3;
        let ticks = now().wrapping_sub(self.ticks);
        if ticks == 0 { 1e3 } else { ps / ticks as f64 }
    }
}

/// Returns the number of ticks between two successive readings of the clock: the median of many pairs.
pub(super) fn reading() -> u64 {
    let mut ticks: Vec<u64> = (0..4096)
        .map(|_| {
            let first = now();
            now().wrapping_sub(first)
        })
        .collect();
    ticks.sort_unstable();
    ticks[ticks.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_worth_their_time() {
        let once = || {
            let rate = Rate::start();
            let (ticks, began) = (now(), Instant::now());
            while began.elapsed().as_millis() < 20 {}
            (now() - ticks) as f64 * rate.picoseconds()
        };
        // Another program may take the CPU between two readings, and after the last reading.
        let mut all = Vec::new();
        let is_right = (0..200).any(|_| {
            let ps = once();
            all.push(ps);
            (ps / 20e9 - 1.0).abs() < 0.1
        });
        assert!(is_right, "{all:?}");
    }
}
