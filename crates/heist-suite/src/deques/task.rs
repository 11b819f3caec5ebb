//! Tasks that take a given time and use no memory.

use std::hint::black_box;
use std::time::Instant;

/// Work that takes about a given time, touches no memory and calls nothing.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    steps: u64,
}

impl Task {
    /// A task that does nothing.
    pub const NOTHING: Task = Task { steps: 0 };

    /// Runs the task. The result of the task is the input of the next task on the same thread. Otherwise a processor could run several
    /// short tasks at the same time, and each task would take less than the given time.
    #[inline(always)]
    #[must_use]
    pub fn run(self, mut state: u64) -> u64 {
        // Shift, xor and multiply. Each operation waits for the result of the previous operation.
        for _ in 0..self.steps {
            state = (state ^ (state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        }
        state
    }
}

/// The measured time of a step of a [`Task`].
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    nanos_per_step: f64,
}

impl Calibration {
    /// Measures the time of a step, in a few milliseconds. The result comes from the shortest of several runs, because other programs may
    /// use the CPU.
    pub fn measure() -> Calibration {
        let sample = Task { steps: 200_000 };
        let nanos = (0..9)
            .map(|i| {
                let start = Instant::now();
                black_box(sample.run(black_box(i)));
                start.elapsed().as_nanos() as f64
            })
            .fold(f64::INFINITY, f64::min);
        Calibration {
            // Use at least 1 ns: if a coarse clock measured 0, a step would seem to take no time, and a task would need infinitely many
            // steps.
            nanos_per_step: nanos.max(1.0) / sample.steps as f64,
        }
    }

    /// Returns a task of about `nanos` nanoseconds, in whole steps (about a nanosecond each).
    pub fn task(self, nanos: u64) -> Task {
        Task {
            steps: (nanos as f64 / self.nanos_per_step).round() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_take_about_their_time() {
        assert_eq!(Calibration::measure().task(0).steps, 0);
        // Use the shortest of many runs, because other programs may be running.
        let took = |calibration: Calibration, nanos: u64| {
            let task = calibration.task(nanos);
            (0..50)
                .map(|i| {
                    let start = Instant::now();
                    black_box((0..100).fold(black_box(i), |state, _| task.run(state)));
                    start.elapsed().as_nanos() as f64 / 100.0
                })
                .fold(f64::INFINITY, f64::min)
        };
        // Other programs may even delay all runs of a calibration, so repeat the calibration.
        let mut all = Vec::new();
        let are_right = (0..10).any(|_| {
            let calibration = Calibration::measure();
            let (short, long) = (took(calibration, 100), took(calibration, 1_000));
            all.push((short, long));
            (30.0..300.0).contains(&short) && (5.0..20.0).contains(&(long / short))
        });
        assert!(are_right, "{all:?}");
    }
}
