//! Values that the parties of a phaser combine.

use super::{Phaser, Registration};
use crate::sync::Mutex;
use std::collections::VecDeque;
use std::fmt;

type Combine<T> = Box<dyn Fn(T, T) -> T + Send + Sync>;

/// Number of ended phases whose values the accumulator remembers, for parties that read late.
const REMEMBERED: u64 = 2;

/// A value for each phase of a [`Phaser`]. The parties' contributions are combined into the value of the phase.
///
/// ```
/// use heist::sync::{Mode, Phaser};
///
/// let phaser = Phaser::new();
/// let total = phaser.accumulator(|a: u64, b| a + b);
/// let first = phaser.register(Mode::SignalWait);
/// heist::finish(|f| {
///     for i in 1..=4 {
///         let mut party = first.register(Mode::SignalWait);
///         let total = &total;
///         f.spawn(move |_| {
///             total.put(&party, i);
///             party.next();
///             assert_eq!(total.get(&party), Some(10));
///         });
///     }
///     drop(first);
/// });
/// ```
pub struct Accumulator<T> {
    phaser: Phaser,
    combine: Combine<T>,
    /// The phases that have a contribution, with their values. The oldest phase comes first.
    values: Mutex<VecDeque<(u64, Option<T>)>>,
}

impl<T> fmt::Debug for Accumulator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accumulator")
            .field("phaser", &self.phaser)
            .finish_non_exhaustive()
    }
}

impl<T> Accumulator<T> {
    pub(super) fn new(phaser: Phaser, combine: Combine<T>) -> Self {
        Accumulator {
            phaser,
            combine,
            values: Mutex::new(VecDeque::new()),
        }
    }

    fn assert_mine(&self, party: &Registration) {
        assert!(
            std::sync::Arc::ptr_eq(&self.phaser.0, &party.phaser.0),
            "heist: an accumulator is used with parties of its own phaser"
        );
    }

    /// Contributes a value to the phase that the party signals next.
    ///
    /// # Panics
    /// Panics if the party belongs to another phaser, or if its mode does not signal. Rethrows the panic of `combine`. After such a panic,
    /// the phase's value is lost.
    pub fn put(&self, party: &Registration, value: T) {
        self.assert_mine(party);
        assert!(
            party.mode.signals(),
            "heist: a party that does not signal has no part in a phase's value"
        );
        let now = self.phaser.phase();
        let mut values = self.values.lock();
        while values
            .front()
            .is_some_and(|&(phase, _)| phase + REMEMBERED < now)
        {
            values.pop_front();
        }
        let phase = party.signalled;
        let place = values.partition_point(|&(other, _)| other < phase);
        if values.get(place).is_some_and(|&(other, _)| other == phase) {
            let slot = &mut values[place].1;
            if let Some(before) = slot.take() {
                *slot = Some((self.combine)(before, value));
            }
        } else {
            values.insert(place, (phase, Some(value)));
        }
    }

    /// Returns the value of the last phase for which the party has waited. Returns `None` if no party contributed to the phase, or if other
    /// parties are several phases ahead.
    ///
    /// # Panics
    /// Panics if the party belongs to another phaser.
    pub fn get(&self, party: &Registration) -> Option<T>
    where
        T: Clone,
    {
        self.assert_mine(party);
        let phase = party.waited.checked_sub(1)?;
        let values = self.values.lock();
        let found = values.iter().find(|&&(other, _)| other == phase)?;
        found.1.clone()
    }
}
