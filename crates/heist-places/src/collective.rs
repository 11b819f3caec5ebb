//! Collective operations: barriers, reductions, broadcasts. All places must call these operations
//! in the same order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::place::{Answer, Place, lock};
use crate::slot::{Setter, Slot, slot};
use crate::wire::{HEAD, Message, append};
use crate::world::read;
use crate::{PlaceError, Waiting, World};

/// The place that collects the contributions of all places.
pub(crate) const ROOT: usize = 0;

type Contributions = Result<Vec<Vec<u8>>, PlaceError>;

/// The collective operations of one place.
#[derive(Default)]
pub(crate) struct Collectives {
    next: u64,
    open: HashMap<u64, Operation>,
    /// The places that no longer take part in collective operations, with the reason for each place.
    gone: BTreeMap<usize, PlaceError>,
}

/// The state of an operation. Messages of an operation may arrive before this place calls the operation.
#[derive(Default)]
struct Operation {
    contributions: BTreeMap<usize, Vec<u8>>,
    gathered: Option<Setter<Contributions>>,
    outcome: Option<Setter<Answer>>,
    early: Option<Answer>,
    /// The place from which the outcome comes.
    root: usize,
}

impl Place {
    /// Assigns a number to this place's next operation, and returns the number.
    pub(crate) fn next_operation(&self) -> u64 {
        self.next_operations(1)
    }

    /// Assigns numbers to this place's next `count` operations, and returns the first number.
    pub(crate) fn next_operations(&self, count: usize) -> u64 {
        let mut collectives = lock(&self.collectives);
        let first = collectives.next;
        collectives.next += count as u64;
        first
    }

    /// Begins the next operation at the root, with the root's own contribution. Returns the operation's number, and a future for
    /// the contributions of all places. Only the root may call this function.
    pub(crate) fn gather(&self, own: Vec<u8>) -> (u64, Slot<Contributions>) {
        let (setter, gathered) = slot();
        let mut collectives = lock(&self.collectives);
        let operation = collectives.next;
        collectives.next += 1;
        let open = collectives.open.entry(operation).or_default();
        open.contributions.insert(self.here, own);
        open.gathered = Some(setter);
        collectives.check(operation, self.places);
        (operation, gathered)
    }

    /// Sends a contribution to the root.
    pub(crate) fn contribute(&self, operation: u64, own: &[u8]) {
        if let Err(message) = self.check_length(HEAD, own.len()) {
            panic!("{message}");
        }
        let mut frame = append(&Message::Contribute { operation }, Vec::new());
        frame.extend_from_slice(own);
        self.transport.send(ROOT, frame);
    }

    pub(crate) fn contributed(&self, from: usize, operation: u64, value: Vec<u8>) {
        let mut collectives = lock(&self.collectives);
        collectives.contributed(from, operation, value);
        collectives.check(operation, self.places);
    }

    /// Sends the outcome of an operation to all other places.
    pub(crate) fn publish(&self, operation: u64, outcome: &Answer) {
        for place in (0..self.places).filter(|place| *place != self.here) {
            self.publish_to(place, operation, outcome);
        }
    }

    /// Sends the outcome of an operation to one place.
    pub(crate) fn publish_to(&self, place: usize, operation: u64, outcome: &Answer) {
        let (error, bytes) = match outcome {
            Ok(bytes) => match self.check_length(HEAD, bytes.len()) {
                Ok(()) => (None, &bytes[..]),
                Err(message) => {
                    let place = self.here;
                    (Some(PlaceError::Panicked { place, message }), &[][..])
                }
            },
            Err(error) => (Some(error.clone()), &[][..]),
        };
        let mut frame = append(&Message::Outcome { operation, error }, Vec::new());
        frame.extend_from_slice(bytes);
        self.transport.send(place, frame);
    }

    /// Returns a future for the outcome that the place `root` sends for an operation.
    pub(crate) fn outcome(&self, operation: u64, root: usize) -> Slot<Answer> {
        let (setter, outcome) = slot();
        let mut collectives = lock(&self.collectives);
        let gone = collectives.gone.get(&root).cloned();
        let open = collectives.open.entry(operation).or_default();
        match (open.early.take(), gone) {
            (Some(answer), _) => setter.set(answer),
            (None, Some(error)) => setter.set(Err(error)),
            (None, None) => {
                open.outcome = Some(setter);
                open.root = root;
                return outcome;
            }
        }
        collectives.open.remove(&operation);
        outcome
    }

    pub(crate) fn outcome_arrived(&self, operation: u64, answer: Answer) {
        let mut collectives = lock(&self.collectives);
        let open = collectives.open.entry(operation).or_default();
        match open.outcome.take() {
            Some(setter) => {
                collectives.open.remove(&operation);
                drop(collectives);
                setter.set(answer);
            }
            None => open.early = Some(answer),
        }
    }

    /// Records that a place no longer takes part. Operations that need the place fail.
    pub(crate) fn gone(self: &Arc<Self>, place: usize, error: PlaceError) {
        let mut collectives = lock(&self.collectives);
        collectives.gone.entry(place).or_insert(error);
        let open: Vec<u64> = collectives.open.keys().copied().collect();
        for operation in open {
            collectives.check(operation, self.places);
            collectives.abandon(operation, place);
        }
    }

    /// Returns the number of places that have died or ended their part of the program.
    pub(crate) fn gone_places(&self) -> usize {
        lock(&self.collectives).gone.len()
    }
}

impl Collectives {
    fn contributed(&mut self, from: usize, operation: u64, value: Vec<u8>) {
        // If an operation has begun at this place and is not open, it has failed, so this place drops its contributions.
        if operation >= self.next || self.open.contains_key(&operation) {
            let open = self.open.entry(operation).or_default();
            open.contributions.insert(from, value);
        }
    }

    /// Wakes the root if all contributions to the operation have arrived, or if a place without a contribution no longer takes part.
    fn check(&mut self, operation: u64, places: usize) {
        let Some(open) = self.open.get_mut(&operation) else {
            return;
        };
        if open.gathered.is_none() {
            return;
        }
        let missing = self
            .gone
            .iter()
            .find(|(place, _)| !open.contributions.contains_key(place));
        let outcome = match missing {
            Some((_, error)) => Err(error.clone()),
            None if open.contributions.len() == places => {
                Ok(std::mem::take(&mut open.contributions)
                    .into_values()
                    .collect())
            }
            None => return,
        };
        if let Some(setter) = self.open.remove(&operation).and_then(|open| open.gathered) {
            setter.set(outcome);
        }
    }

    /// Fails the operation if it waits for an outcome from `place`.
    fn abandon(&mut self, operation: u64, place: usize) {
        let waits = self
            .open
            .get(&operation)
            .is_some_and(|open| open.outcome.is_some() && open.root == place);
        if !waits {
            return;
        }
        let error = self
            .gone
            .get(&place)
            .cloned()
            .unwrap_or(PlaceError::Left { place });
        if let Some(setter) = self.open.remove(&operation).and_then(|open| open.outcome) {
            setter.set(Err(error));
        }
    }
}

impl World {
    /// Collects the values of all places at place 0, in the order of the places. The other places get `None`.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). Each other place sends one message, and does not wait for
    /// place 0.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(3).run(|world| world.gather(10 * world.here()).wait());
    /// assert_eq!(outcomes[0], Ok(Ok(Some(vec![0, 10, 20]))));
    /// assert_eq!(outcomes[1], Ok(Ok(None)));
    /// ```
    ///
    /// # Errors
    /// Returns an error at place 0 if a place has died or ended its part of the program.
    pub fn gather<T>(&self, value: T) -> Waiting<Option<Vec<T>>>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let place = self.place();
        let own = append(&value, Vec::new());
        let here = self.here();
        if here != ROOT {
            place.contribute(place.next_operation(), &own);
            return Waiting::new(async { Ok(None) });
        }
        let (_, gathered) = place.gather(own);
        Waiting::new(async move {
            let values = gathered.await?;
            let values: Result<Vec<T>, PlaceError> =
                values.iter().map(|bytes| read(here, bytes)).collect();
            values.map(Some)
        })
    }

    /// Sends each place one of the values of place 0, in the order of the places. The function ignores the arguments of the other places.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). Place 0 sends one message to each other place.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(2).run(|world| {
    ///     let values = (world.here() == 0).then(|| vec!["even".to_owned(), "odd".to_owned()]);
    ///     world.scatter(values).wait()
    /// });
    /// assert_eq!(outcomes[1], Ok(Ok("odd".to_owned())));
    /// ```
    ///
    /// # Errors
    /// Returns an error if place 0 has died or ended its part of the program.
    ///
    /// # Panics
    /// Panics at place 0 if `values` does not have one value for each place.
    pub fn scatter<T>(&self, values: Option<Vec<T>>) -> Waiting<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let place = self.place();
        let operation = place.next_operation();
        let here = self.here();
        if here != ROOT {
            let outcome = place.outcome(operation, ROOT);
            return Waiting::for_message(place, async move { read(here, &outcome.await?) });
        }
        let mut values = values.unwrap_or_default();
        assert_eq!(
            values.len(),
            self.places(),
            "heist-places: place 0 scatters a value for each place"
        );
        for (other, value) in values.iter().enumerate().skip(1) {
            place.publish_to(other, operation, &Ok(append(value, Vec::new())));
        }
        let own = values.swap_remove(ROOT);
        Waiting::new(async move { Ok(own) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_contributions_to_a_failed_operation_are_dropped() {
        let mut collectives = Collectives::default();
        // The first contribution arrives before the root calls the operation, and the second contribution arrives after this call.
        collectives.contributed(1, 0, vec![1]);
        let (setter, _gathered) = slot();
        collectives.next = 1;
        let open = collectives.open.get_mut(&0).unwrap();
        open.gathered = Some(setter);
        collectives.contributed(2, 0, vec![2]);
        assert_eq!(collectives.open[&0].contributions.len(), 2);
        collectives.gone.insert(3, PlaceError::Left { place: 3 });
        collectives.check(0, 5);
        collectives.contributed(4, 0, vec![4]);
        assert!(collectives.open.is_empty());
        collectives.contributed(4, 1, vec![4]);
        assert_eq!(collectives.open.len(), 1);
    }
}
