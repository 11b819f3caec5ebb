//! The result of a simulation of places.

use super::message::Kind;
use crate::{Histogram, Time};

/// The number of nodes that one place visited, and the times of its workers and of its progress thread, in
/// picoseconds.
///
/// ```
/// use heist_sim::{Cluster, Tree, simulate_places};
///
/// let tree = Tree::geometric(3, 4.0, 8);
/// let outcome = simulate_places(&tree, &Cluster::new(4, 1), 1).unwrap();
/// let nodes: u64 = outcome.places.iter().map(|place| place.nodes).sum();
/// assert_eq!(nodes, tree.nodes());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceUse {
    /// The number of visited nodes.
    pub nodes: u64,
    /// The workers' time for visiting nodes.
    pub busy: Time,
    /// The workers' time for turns (the work between two chunks), splits, messages and small tasks. At all other times the workers search
    /// or sleep.
    pub lost: Time,
    /// The progress thread's time for messages.
    pub progress: Time,
}

/// The result of a simulation of places.
///
/// ```
/// use heist_sim::{Cluster, Kind, Tree, simulate_places};
///
/// let tree = Tree::geometric(3, 4.0, 8);
/// let outcome = simulate_places(&tree, &Cluster::new(4, 1), 1).unwrap();
/// // The home asks each other place to take part, and each answers at the end.
/// assert_eq!(outcome.count(Kind::Serve), 3);
/// assert_eq!(outcome.count(Kind::Served), 3);
/// assert!(outcome.utilisation() <= 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacesOutcome {
    /// The time from the call of `balance` to its return, in picoseconds.
    pub time: Time,
    /// The number of workers of each place.
    pub workers: usize,
    /// The nodes and times of each place.
    pub places: Vec<PlaceUse>,
    /// The number of messages of each kind, in the order of [`Kind::ALL`].
    pub messages: [u64; 9],
    /// The total size of all messages in bytes.
    pub bytes: u64,
    /// The number of bags that victims sent in answer to random requests.
    pub random_gifts: u64,
    /// The number of bags that places sent along lifelines.
    pub lifeline_gifts: u64,
    /// The number of bags that a worker gave to another worker of its place.
    pub inner: u64,
    /// The number of times that a place ran out of work, except for its start.
    pub empty: u64,
    /// The times, in picoseconds, from the moment at which a place ran out of work until it got work.
    pub hunger: Histogram,
}

impl PlacesOutcome {
    /// Returns the number of messages of this kind, in constant time.
    ///
    /// # Examples
    ///
    /// See [`PlacesOutcome`].
    pub fn count(&self, kind: Kind) -> u64 {
        self.messages[kind as usize]
    }

    /// Returns the number of nodes that all places have visited, in time linear in the number of places.
    ///
    /// # Examples
    ///
    /// See [`PlaceUse`].
    pub fn nodes(&self) -> u64 {
        self.places.iter().map(|place| place.nodes).sum()
    }

    /// Returns the share of all workers' time that they spent on visits of nodes, from 0 to 1. The call takes time linear in the number of
    /// places.
    ///
    /// # Examples
    ///
    /// See [`PlacesOutcome`].
    pub fn utilisation(&self) -> f64 {
        self.share(|place| place.busy)
    }

    /// Returns the share of all workers' time that they spent on turns, splits, messages and small tasks, from 0 to 1. The call takes time
    /// linear in the number of places.
    ///
    /// ```
    /// use heist_sim::{Cluster, PlaceCosts, Tree, simulate_places};
    ///
    /// let mut cluster = Cluster::new(4, 1);
    /// cluster.costs = PlaceCosts::none();
    /// let outcome = simulate_places(&Tree::geometric(3, 4.0, 8), &cluster, 1).unwrap();
    /// assert_eq!(outcome.lost(), 0.0);
    /// ```
    pub fn lost(&self) -> f64 {
        self.share(|place| place.lost)
    }

    fn share(&self, of: impl Fn(&PlaceUse) -> Time) -> f64 {
        let sum: Time = self.places.iter().map(of).sum();
        let workers = (self.places.len() * self.workers).max(1);
        sum as f64 / (self.time.max(1) as f64 * workers as f64)
    }
}
