//! Collective operations: barriers, reductions, broadcasts. All places call them in the same order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::PlaceError;
use crate::place::{Answer, Place, lock};
use crate::slot::{Setter, Slot, slot};
use crate::wire::{Message, append};

/// The place that collects contributions.
pub(crate) const ROOT: usize = 0;

type Contributions = Result<Vec<Vec<u8>>, PlaceError>;

/// The collective operations of one place.
#[derive(Default)]
pub(crate) struct Collectives {
    next: u64,
    open: HashMap<u64, Operation>,
    /// Places that take no more part, and why.
    gone: BTreeMap<usize, PlaceError>,
}

/// What is known of an operation. Messages may come before the call of this place.
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
    /// The number of the next operation of this place.
    pub(crate) fn next_operation(&self) -> u64 {
        let mut collectives = lock(&self.collectives);
        collectives.next += 1;
        collectives.next - 1
    }

    /// Waits for the contributions of all places. Only the root calls this.
    pub(crate) fn gather(&self, operation: u64, own: Vec<u8>) -> Slot<Contributions> {
        let (setter, gathered) = slot();
        let mut collectives = lock(&self.collectives);
        let open = collectives.open.entry(operation).or_default();
        open.contributions.insert(self.here, own);
        open.gathered = Some(setter);
        collectives.check(operation, self.places);
        gathered
    }

    /// Sends a contribution to the root.
    pub(crate) fn contribute(&self, operation: u64, own: &[u8]) {
        let mut frame = append(&Message::Contribute { operation }, Vec::new());
        frame.extend_from_slice(own);
        self.transport.send(ROOT, frame);
    }

    pub(crate) fn contributed(&self, from: usize, operation: u64, value: Vec<u8>) {
        let mut collectives = lock(&self.collectives);
        let open = collectives.open.entry(operation).or_default();
        open.contributions.insert(from, value);
        collectives.check(operation, self.places);
    }

    /// Sends the outcome to all other places.
    pub(crate) fn publish(&self, operation: u64, outcome: &Answer) {
        let (error, bytes) = match outcome {
            Ok(bytes) => (None, &bytes[..]),
            Err(error) => (Some(error.clone()), &[][..]),
        };
        let mut frame = append(&Message::Outcome { operation, error }, Vec::new());
        frame.extend_from_slice(bytes);
        for place in (0..self.places).filter(|place| *place != self.here) {
            self.transport.send(place, frame.clone());
        }
    }

    /// Waits for an outcome from another place.
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

    /// A place takes no more part: operations that need it fail.
    pub(crate) fn gone(self: &Arc<Self>, place: usize, error: PlaceError) {
        let mut collectives = lock(&self.collectives);
        collectives.gone.entry(place).or_insert(error);
        let open: Vec<u64> = collectives.open.keys().copied().collect();
        for operation in open {
            collectives.check(operation, self.places);
            collectives.abandon(operation, place);
        }
    }

    /// The places that have died or ended.
    pub(crate) fn gone_places(&self) -> usize {
        lock(&self.collectives).gone.len()
    }
}

impl Collectives {
    /// Lets the root go on if all contributions are there, or if one will never come.
    fn check(&mut self, operation: u64, places: usize) {
        let Some(open) = self.open.get_mut(&operation) else {
            return;
        };
        if open.gathered.is_none() {
            return;
        }
        let missing = self.gone.iter().find(|(place, _)| !open.contributions.contains_key(place));
        let outcome = match missing {
            Some((_, error)) => Err(error.clone()),
            None if open.contributions.len() == places => Ok(std::mem::take(&mut open.contributions).into_values().collect()),
            None => return,
        };
        if let Some(setter) = self.open.remove(&operation).and_then(|open| open.gathered) {
            setter.set(outcome);
        }
    }

    /// Fails an operation whose outcome was to come from a place.
    fn abandon(&mut self, operation: u64, place: usize) {
        let waits = self.open.get(&operation).is_some_and(|open| open.outcome.is_some() && open.root == place);
        if !waits {
            return;
        }
        let error = self.gone.get(&place).cloned().unwrap_or(PlaceError::Left { place });
        if let Some(setter) = self.open.remove(&operation).and_then(|open| open.outcome) {
            setter.set(Err(error));
        }
    }
}
