//! Measures round trips between two threads, for each of the ways in which a worker can get the attention of another worker.
//!
//! ```
//! use heist_suite::interrupts::{Means, measure};
//! // It needs Linux and two CPUs.
//! if let Ok(laps) = measure(Means::Poll, 100) {
//!     assert_eq!(laps.len(), 100);
//! }
//! ```

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod signals;

/// A way to get the attention of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// A word that the other thread polls.
    Poll,
    /// A word that the other thread polls. After each store, the system executes a barrier in all running threads of the process
    /// (`membarrier`, private and expedited).
    Membarrier,
    /// A signal to the other thread (`tgkill`). The handler of the signal answers.
    Signal,
}

impl Means {
    /// All means.
    pub const ALL: [Means; 3] = [Means::Poll, Means::Membarrier, Means::Signal];

    /// Returns the name of these means in lists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Means::Poll => "poll",
            Means::Membarrier => "membarrier",
            Means::Signal => "tgkill",
        }
    }
}

/// One round trip. All times of a [`Lap`] are in nanoseconds from the beginning of the round trip.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lap {
    /// The time at which the asking thread can continue. `sent` is the cost of a request.
    pub sent: u64,
    /// The time at which the other thread has seen the request.
    pub seen: u64,
    /// The time at which the asking thread has seen the answer. The answering thread uses the same means as the asking thread.
    pub answered: u64,
}

/// Measures `laps` round trips between two threads, each on a CPU of its own.
///
/// # Errors
/// Returns a one-line error if the system is not Linux, if there is only one CPU, or if the kernel refuses a system call.
pub fn measure(means: Means, laps: usize) -> Result<Vec<Lap>, String> {
    #[cfg(target_os = "linux")]
    return linux::measure(means, laps);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (means, laps);
        Err("membarrier and tgkill are calls of Linux, and this is another system".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_is_seen_before_it_is_answered() {
        for means in Means::ALL {
            let laps = match measure(means, 50) {
                Ok(laps) => laps,
                // There is only one CPU, or the kernel has no such barrier.
                Err(line) => {
                    assert!(!line.contains('\n') && line.len() > 20, "{line}");
                    continue;
                }
            };
            assert_eq!(laps.len(), 50);
            for lap in laps {
                let in_order = lap.seen > 0 && lap.seen <= lap.answered;
                assert!(in_order && lap.sent <= lap.answered, "{means:?} {lap:?}");
            }
        }
    }
}
