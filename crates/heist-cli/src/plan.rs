//! The plan of a measurement, which is made before any program runs.

use std::time::Duration;

use heist_suite::{Contender, Program, Size, affinity};

use crate::failure::Failure;

/// All parameters of a measurement.
pub(crate) struct Plan {
    pub(crate) programs: Vec<&'static Program>,
    pub(crate) size: Size,
    /// The thread counts, in ascending order.
    pub(crate) threads: Vec<usize>,
    /// The contenders, in the order of the table.
    pub(crate) contenders: Vec<Contender>,
    pub(crate) rounds: Rounds,
    /// The CPUs to which workers are pinned, if the user requested pinning. N workers are pinned to the first N CPUs of the list.
    pub(crate) pin: Option<Vec<usize>>,
    /// The seed of the generator that shuffles the rounds.
    pub(crate) seed: u64,
}

/// A rule for the number of counted rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rounds {
    /// Exactly the given number of rounds.
    Exactly(usize),
    /// As many rounds as fit into the time `budget`, but at least `least` and at most `most` rounds.
    Within {
        least: usize,
        most: usize,
        budget: Duration,
    },
}

impl Rounds {
    /// Returns the greatest possible number of rounds.
    pub(crate) fn most(self) -> usize {
        match self {
            Rounds::Exactly(n) => n,
            Rounds::Within { most, .. } => most,
        }
    }

    /// Returns the least possible number of rounds.
    pub(crate) fn least(self) -> usize {
        match self {
            Rounds::Exactly(n) => n,
            Rounds::Within { least, .. } => least,
        }
    }

    /// Returns true if another round follows `done` rounds that took `spent`. Assumes that the next round takes as long as the mean of the
    /// previous rounds.
    pub(crate) fn more(self, done: usize, spent: Duration) -> bool {
        let next = spent.checked_div(u32::try_from(done).unwrap_or(u32::MAX));
        self.more_of(done, spent, next.unwrap_or_default())
    }

    /// Returns true if another round follows `done` rounds that took `spent`. Assumes that the next round takes the time `next`.
    pub(crate) fn more_of(self, done: usize, spent: Duration, next: Duration) -> bool {
        match self {
            Rounds::Exactly(n) => done < n,
            Rounds::Within {
                least,
                most,
                budget,
            } => done < least || (done < most && spent + next <= budget),
        }
    }
}

/// Returns the default thread counts: one thread, and Heist's default number of threads.
pub(crate) fn default_threads() -> Result<Vec<usize>, Failure> {
    let mut threads = vec![1, own_threads()?];
    threads.dedup();
    Ok(threads)
}

/// Returns Heist's default number of threads.
pub(crate) fn own_threads() -> Result<usize, Failure> {
    heist::default_threads().map_err(|error| Failure::Request(error.to_string()))
}

/// Returns the first `most` CPUs that this process may use.
pub(crate) fn cpus_for(most: usize) -> Result<Vec<usize>, Failure> {
    let mut allowed = affinity::allowed().map_err(|error| {
        Failure::Request(format!(
            "--pin cannot learn which CPUs are allowed here: {error}; run without --pin"
        ))
    })?;
    if allowed.len() < most {
        return Err(Failure::Request(format!(
            "--pin needs a CPU per thread: {most} threads are asked for, and the CPUs allowed number {}; \
             lower --threads or run without --pin",
            allowed.len()
        )));
    }
    allowed.truncate(most);
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_keep_to_their_bounds() {
        let exact = Rounds::Exactly(2);
        assert!(exact.more(1, Duration::from_secs(900)) && !exact.more(2, Duration::ZERO));

        let timed = Rounds::Within {
            least: 3,
            most: 5,
            budget: Duration::from_secs(10),
        };
        assert!(
            timed.more(2, Duration::from_secs(60)),
            "the least number runs even if it is late"
        );
        assert!(
            !timed.more(3, Duration::from_secs(9)),
            "a fourth round would be late"
        );
        assert!(timed.more(4, Duration::from_secs(8)));
        assert!(!timed.more(5, Duration::ZERO));

        assert!(timed.more_of(3, Duration::from_secs(9), Duration::from_secs(1)));
        assert!(!timed.more_of(3, Duration::from_secs(9), Duration::from_secs(2)));
    }
}
