//! Deques of other projects, adapted to the traits of `heist_deque`.

use heist_deque::{Owner, Steal, Thief};

/// A worker of `crossbeam-deque`. The worker halves its buffer when three quarters of the buffer are free. So the buffer has to grow again
/// in every run of puts. The measured time includes this growth, because the growth is a part of the deque's design.
pub(crate) struct Crossbeam<T>(crossbeam_deque::Worker<T>);

impl<T> Crossbeam<T> {
    pub(crate) fn lifo() -> Self {
        Crossbeam(crossbeam_deque::Worker::new_lifo())
    }

    pub(crate) fn fifo() -> Self {
        Crossbeam(crossbeam_deque::Worker::new_fifo())
    }
}

impl<T> Owner for Crossbeam<T> {
    type Item = T;
    type Thief = CrossbeamThief<T>;

    fn thief(&self) -> CrossbeamThief<T> {
        CrossbeamThief(self.0.stealer())
    }

    #[inline(always)]
    fn push(&mut self, item: T) {
        self.0.push(item);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }
}

pub(crate) struct CrossbeamThief<T>(crossbeam_deque::Stealer<T>);

impl<T> Clone for CrossbeamThief<T> {
    fn clone(&self) -> Self {
        CrossbeamThief(self.0.clone())
    }
}

impl<T> Thief for CrossbeamThief<T> {
    type Item = T;

    #[inline(always)]
    fn steal(&self) -> Steal<T> {
        match self.0.steal() {
            crossbeam_deque::Steal::Success(item) => Steal::Success(item),
            crossbeam_deque::Steal::Empty => Steal::Empty,
            crossbeam_deque::Steal::Retry => Steal::Retry,
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A LIFO worker of `st3`, which has a fixed capacity.
pub(super) struct St3(st3::lifo::Worker<usize>);

impl St3 {
    /// Makes a worker for `capacity` items or more: st3 rounds up to a power of two.
    ///
    /// # Panics
    /// Panics if st3 has no queue of that capacity: its limit is 2^31 items, or 2^15 on systems without 64-bit atomics.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        St3(st3::lifo::Worker::new(capacity))
    }
}

impl Owner for St3 {
    type Item = usize;
    type Thief = St3Thief;

    fn thief(&self) -> St3Thief {
        St3Thief::of(self.0.stealer())
    }

    #[inline(always)]
    fn push(&mut self, item: usize) {
        assert!(self.0.push(item).is_ok(), "st3's queue is full");
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<usize> {
        self.0.pop()
    }
}

pub(super) struct St3Thief {
    stealer: st3::lifo::Stealer<usize>,
    /// The worker into which st3 steals. This destination worker stays empty, because thieves take one item at a time, as from all other
    /// deques.
    aside: st3::lifo::Worker<usize>,
}

impl St3Thief {
    fn of(stealer: st3::lifo::Stealer<usize>) -> Self {
        St3Thief {
            stealer,
            aside: st3::lifo::Worker::new(1),
        }
    }
}

impl Clone for St3Thief {
    fn clone(&self) -> Self {
        St3Thief::of(self.stealer.clone())
    }
}

impl Thief for St3Thief {
    type Item = usize;

    #[inline(always)]
    fn steal(&self) -> Steal<usize> {
        match self.stealer.steal_and_pop(&self.aside, |_| 1) {
            Ok((item, _)) => Steal::Success(item),
            Err(st3::StealError::Empty) => Steal::Empty,
            Err(st3::StealError::Busy) => Steal::Retry,
        }
    }

    /// Returns true if the deque has no item to steal. This check takes no item out of the deque.
    fn is_empty(&self) -> bool {
        let mut none = true;
        let _ = self.stealer.steal(&self.aside, |count| {
            none = count == 0;
            0
        });
        none
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adaptors_are_deques() {
        fn check<O: Owner<Item = usize>>(mut owner: O, newest_first: bool) {
            let thief = owner.thief();
            assert!(thief.is_empty() && thief.steal() == Steal::Empty);
            for item in 0..4 {
                owner.push(item);
            }
            assert!(!thief.is_empty());
            assert_eq!(thief.clone().steal(), Steal::Success(0));
            assert_eq!(owner.pop(), Some(if newest_first { 3 } else { 1 }));
            assert_eq!(
                thief.steal(),
                Steal::Success(if newest_first { 1 } else { 2 })
            );
            assert!(owner.pop().is_some() && owner.pop().is_none());
            assert!(thief.is_empty());
        }
        check(Crossbeam::lifo(), true);
        check(Crossbeam::fifo(), false);
        check(St3::with_capacity(4), true);
    }

    #[test]
    #[should_panic(expected = "full")]
    fn st3_says_when_it_is_full() {
        let mut owner = St3::with_capacity(2);
        (0..3).for_each(|item| owner.push(item));
    }
}
