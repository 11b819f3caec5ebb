//! Small counts by place.

use serde::{Deserialize, Serialize};

/// A number of tasks for each place. Places without tasks are omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Counts(Vec<(u32, u64)>);

impl Counts {
    /// Adds to the count of a place, in time linear in the number of places with a count.
    pub(crate) fn add(&mut self, place: usize, tasks: u64) {
        let place = place as u32;
        match self.0.iter_mut().find(|(other, _)| *other == place) {
            Some((_, count)) => *count += tasks,
            None => self.0.push((place, tasks)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0
            .iter()
            .map(|(place, count)| (*place as usize, *count))
    }
}
