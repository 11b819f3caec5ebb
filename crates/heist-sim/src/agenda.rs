//! The times at which the workers act next.

use crate::Time;

/// The time of a worker that does not act.
pub(crate) const NEVER: Time = Time::MAX;

/// A tournament tree over the workers' next times: the winner acts next. Among workers with equal times, the worker with the smallest index
/// wins. A change of a worker's time takes logarithmic time, and a read of the winner takes constant time.
pub(crate) struct Agenda {
    /// The worker that wins at each node. The inner nodes come first, beginning with the root at index 1, and then the leaves.
    winners: Vec<u32>,
    times: Vec<Time>,
    leaves: usize,
}

impl Agenda {
    pub(crate) fn new(workers: usize) -> Agenda {
        let leaves = workers.next_power_of_two();
        let mut agenda = Agenda {
            winners: vec![0; 2 * leaves],
            times: vec![NEVER; leaves],
            leaves,
        };
        for leaf in 0..leaves {
            agenda.winners[leaves + leaf] = leaf as u32;
        }
        for node in (1..leaves).rev() {
            agenda.winners[node] = agenda.winners[2 * node];
        }
        agenda
    }

    pub(crate) fn set(&mut self, worker: usize, time: Time) {
        self.times[worker] = time;
        let mut node = (self.leaves + worker) / 2;
        while node > 0 {
            let (left, right) = (self.winners[2 * node], self.winners[2 * node + 1]);
            // If both times are equal, the left worker wins, because its index is smaller.
            self.winners[node] = if self.times[right as usize] < self.times[left as usize] {
                right
            } else {
                left
            };
            node /= 2;
        }
    }

    pub(crate) fn time(&self, worker: usize) -> Time {
        self.times[worker]
    }

    pub(crate) fn next(&self) -> (usize, Time) {
        // With one worker the tree has no inner node: index 1 is the only leaf.
        let winner = self.winners[1] as usize;
        (winner, self.times[winner])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_earliest_and_of_several_the_first_is_next() {
        for workers in [1, 2, 3, 5, 16, 100] {
            let mut agenda = Agenda::new(workers);
            assert_eq!(agenda.next().1, NEVER);
            let mut random = Random::new(workers as u64);
            let mut times = vec![NEVER; workers];
            for _ in 0..2000 {
                let worker = random.below(workers as u64) as usize;
                times[worker] = random.below(50);
                agenda.set(worker, times[worker]);
                let least = *times.iter().min().unwrap();
                let first = times.iter().position(|&time| time == least).unwrap();
                assert_eq!(agenda.next(), (first, least));
            }
        }
    }
}
