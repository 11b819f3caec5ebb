//! Sets of workers.

use crate::random::Random;

/// A set of workers.
#[derive(Clone, Debug)]
pub(super) struct Set {
    words: Vec<u64>,
    len: usize,
}

impl Set {
    fn new(workers: usize) -> Set {
        Set {
            words: vec![0; workers.div_ceil(64)],
            len: 0,
        }
    }

    #[inline]
    pub(super) fn has(&self, worker: usize) -> bool {
        self.words[worker / 64] >> (worker % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, worker: usize) {
        if !self.has(worker) {
            self.words[worker / 64] |= 1 << (worker % 64);
            self.len += 1;
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, worker: usize) {
        if self.has(worker) {
            self.words[worker / 64] &= !(1 << (worker % 64));
            self.len -= 1;
        }
    }

    #[inline]
    pub(super) fn put(&mut self, worker: usize, is_in: bool) {
        if is_in {
            self.insert(worker);
        } else {
            self.remove(worker);
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the least member of `from..to`.
    pub(super) fn first(&self, from: usize, to: usize) -> Option<usize> {
        if from >= to {
            return None;
        }
        let mut word = from / 64;
        let mut bits = self.words[word] & (!0 << (from % 64));
        loop {
            if bits != 0 {
                let found = word * 64 + bits.trailing_zeros() as usize;
                return (found < to).then_some(found);
            }
            word += 1;
            if word * 64 >= to {
                return None;
            }
            bits = self.words[word];
        }
    }

    /// Returns the first member of `from..to` that is at or after `start`, or else the first member
    /// of `from..start`.
    pub(super) fn round(&self, start: usize, from: usize, to: usize) -> Option<usize> {
        self.first(start, to).or_else(|| self.first(from, start))
    }

    /// Returns a random member, or `None` if the set is empty.
    pub(super) fn any(&self, random: &mut Random) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let workers = self.words.len() * 64;
        self.round(random.below(workers as u64) as usize, 0, workers)
    }
}

/// Sets of workers by activity and frames. Thieves consult these sets to find victims.
pub(super) struct Places {
    /// Workers with frames that a thief may request (in the return-barrier protocol: with private
    /// frames).
    pub(super) stocked: Set,
    /// Workers from which a thief can take a frame without a request: the frame is public (in the return-barrier protocol), or belongs to a
    /// stack that waits.
    pub(super) public: Set,
    /// Workers that search: they are between attempts, make an attempt, or wait for an answer.
    pub(super) searching: Set,
    /// Searching workers that have found no work at any victim and now watch for new work.
    pub(super) watching: Set,
    /// Workers that sleep.
    pub(super) asleep: Set,
    /// Workers whose request word is set.
    pub(super) requested: Set,
}

impl Places {
    pub(super) fn new(workers: usize) -> Places {
        let none = Set::new(workers);
        Places {
            stocked: none.clone(),
            public: none.clone(),
            searching: none.clone(),
            watching: none.clone(),
            asleep: none.clone(),
            requested: none,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_find_their_members() {
        let mut set = Set::new(130);
        assert_eq!(set.round(64, 0, 130), None);
        for worker in [0, 63, 64, 129] {
            set.insert(worker);
            set.insert(worker);
        }
        assert_eq!(set.len(), 4);
        assert_eq!(set.first(1, 130), Some(63));
        assert_eq!(set.first(1, 63), None);
        assert_eq!(set.first(65, 130), Some(129));
        assert_eq!(set.round(65, 60, 100), Some(63));
        set.remove(63);
        assert_eq!(set.round(65, 60, 100), Some(64));
        set.remove(63);
        assert_eq!(set.len(), 3);
        let mut random = Random::new(1);
        assert!((0..100).all(|_| set.any(&mut random).is_some_and(|one| set.has(one))));
    }
}
