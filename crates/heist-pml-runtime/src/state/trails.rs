//! The trails of exceptions that have left their strands: see `exception/trail.rs`.

use std::collections::VecDeque;
use std::sync::Mutex;

/// The bit that marks an origin as the number of a trail. No address has the bit `TRAIL`.
pub(crate) const TRAIL: usize = 1 << (usize::BITS - 1);

/// Number of trails that are kept. A trail is needed from the time at which its exception leaves one strand until another strand receives
/// the exception.
const KEPT: usize = 64;

/// Number of steps of a trail that are kept.
const STEPS: usize = 64;

/// The relation of a place to an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The exception was raised at this place, and a handler caught it. The handler has removed the frames of the calls that had not
    /// returned. Only the calls at which the place is inlined are still known. The report leaves them out, because they would be an
    /// incomplete list.
    First,
    /// The exception was raised at this place.
    Raised,
    /// A handler raised the exception again at this place.
    Again,
    /// A function was called at this place and had not returned.
    Called,
}

/// A place that an exception has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) how: How,
    /// A return address, or an address that stands for a spot.
    pub(crate) at: usize,
    /// Number of consecutive frames with this address.
    pub(crate) times: usize,
}

/// The places that an exception has passed in a strand, from the place where it was raised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    pub(crate) steps: Vec<Step>,
    /// Number of older frames, which the trail leaves out.
    pub(crate) left_out: usize,
}

impl Trail {
    pub(crate) fn step(&mut self, how: How, at: usize) {
        let room = self.steps.len() < STEPS;
        match self.steps.last_mut() {
            Some(last) if (last.how, how, last.at) == (How::Called, How::Called, at) => {
                last.times += 1;
            }
            _ if room => self.steps.push(Step { how, at, times: 1 }),
            _ => self.left_out += 1,
        }
    }
}

/// The newest trails of a world.
#[derive(Debug, Default)]
pub struct Trails(Mutex<Newest>);

#[derive(Debug, Default)]
pub(crate) struct Newest {
    /// Number of the next trail.
    next: usize,
    kept: VecDeque<Trail>,
}

impl Newest {
    pub(crate) fn get(&self, origin: usize) -> Option<&Trail> {
        let age = self.next.checked_sub(origin & !TRAIL)?;
        self.kept.get(self.kept.len().checked_sub(age)?)
    }
}

impl Trails {
    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Newest> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Keeps a trail, and returns its number as an origin.
    pub(crate) fn add(&self, trail: Trail) -> usize {
        let mut newest = self.lock();
        newest.kept.push_back(trail);
        if newest.kept.len() > KEPT {
            newest.kept.pop_front();
        }
        newest.next += 1;
        (newest.next - 1) | TRAIL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_calls_count_and_long_trails_end() {
        let mut trail = Trail::default();
        trail.step(How::Raised, 8);
        (0..1000).for_each(|_| trail.step(How::Called, 8));
        assert_eq!((trail.steps.len(), trail.steps[1].times), (2, 1000));
        (0..1000).for_each(|at| trail.step(How::Called, 16 * at));
        assert_eq!(trail.steps.len(), STEPS);
        assert_eq!(trail.left_out, 1000 - (STEPS - 2));
    }

    #[test]
    fn old_trails_are_forgotten() {
        let trails = Trails::default();
        let mut trail = Trail::default();
        trail.step(How::Raised, 24);
        let first = trails.add(trail);
        let found = |origin| trails.lock().get(origin).map(|trail| trail.steps.len());
        assert_eq!(found(first), Some(1));
        let last = (0..KEPT).map(|_| trails.add(Trail::default())).last();
        assert_eq!((found(first), found(last.expect("some"))), (None, Some(0)));
        assert_eq!(found(TRAIL | 1000), None);
    }
}
