//! Clusters of simulated places, and their costs.

use crate::fields::costs;
use crate::machine::MachineError;

/// The maximum number of places.
const MOST_PLACES: usize = 1024;
/// The maximum number of workers of a place.
const MOST_WORKERS: usize = 1024;

costs! {
    /// The costs of the steps of places, in nanoseconds.
    ///
    /// The crate's README says which defaults were measured and which defaults are estimates.
    ///
    /// ```
    /// use heist_sim::PlaceCosts;
    ///
    /// let costs = PlaceCosts { node: 1_000.0, ..PlaceCosts::default() };
    /// assert_eq!(costs.node, PlaceCosts::none().node);
    /// ```
    pub struct PlaceCosts;
    /// Visiting one node of the tree.
    node = 62.0;
    /// A worker's work between two chunks: reading the clock and the flag of requests, and a yield to the pool.
    turn = 300.0;
    /// Splitting a bag, for each of its families.
    split = 5.0;
    /// Encoding or decoding a bag, for each of its families.
    pack = 60.0;
    /// Sending a message: the cost to the sending thread.
    send = 1000.0;
    /// Receiving a message: the cost to the progress thread.
    receive = 500.0;
    /// The time from the arrival of a message until a sleeping progress thread takes it.
    rouse = 3000.0;
    /// A small task of the pool: an answer to a thief, or the end of a part.
    task = 500.0;
    /// Waking a sleeping worker: the cost to the waker.
    notify = 1500.0;
    /// The time from a wake-up until the woken worker runs.
    wake = 12000.0;
    /// The time until a searching worker finds new work.
    notice = 500.0;
    /// The time for which a worker of the pool searches before it sleeps.
    patience = 50000.0;
}

impl PlaceCosts {
    /// Returns costs of 0, except for visiting a node, which takes a microsecond.
    ///
    /// # Examples
    ///
    /// See [`PlaceCosts`].
    pub fn none() -> PlaceCosts {
        PlaceCosts {
            node: 1000.0,
            ..PlaceCosts::zero()
        }
    }
}

/// The rule by which a worker's chunks grow. A chunk consists of the nodes that a worker visits between two checks for requests.
///
/// ```
/// use heist_sim::Growth;
///
/// assert_eq!(Growth::ALL[0], ("full", Growth::Full));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// After a chunk of less than 25 us the next chunk has twice as many nodes, unless the bag ended first. The runtime uses this rule.
    Full,
    /// After any chunk of less than 25 us the next chunk has twice as many nodes. So a worker that receives small bags gets larger and
    /// larger chunks, and checks for requests less and less often.
    Any,
}

impl Growth {
    /// All ways to grow, with their names.
    ///
    /// # Examples
    ///
    /// See [`Growth`].
    pub const ALL: [(&'static str, Growth); 2] = [("full", Growth::Full), ("any", Growth::Any)];
}

/// A cluster of places that send each other messages.
///
/// ```
/// use heist_sim::Cluster;
///
/// let mut cluster = Cluster::new(16, 2);
/// cluster.latency = 10_000.0; // 10 us
/// cluster.bandwidth = 1.25e9; // 10 Gbit/s
/// assert_eq!(cluster.places * cluster.workers, 32);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The number of places, from 1 to 1,024.
    pub places: usize,
    /// The number of workers of each place, from 1 to 1,024.
    pub workers: usize,
    /// The time, in nanoseconds, that the first byte of a message takes from one place to another.
    pub latency: f64,
    /// The number of bytes that a place can send in a second. This number may be infinite.
    pub bandwidth: f64,
    /// The growth of chunks.
    pub growth: Growth,
    /// The costs of all steps.
    pub costs: PlaceCosts,
}

impl Cluster {
    /// Returns a cluster of `places` places with `workers` workers each, a latency of 2 us and a bandwidth of 10 GB/s.
    ///
    /// # Examples
    ///
    /// See [`Cluster`].
    pub fn new(places: usize, workers: usize) -> Cluster {
        Cluster {
            places,
            workers,
            latency: 2000.0,
            bandwidth: 10e9,
            growth: Growth::Full,
            costs: PlaceCosts::default(),
        }
    }

    /// Returns an error if the cluster is invalid.
    pub(super) fn check(&self) -> Result<(), MachineError> {
        let range = |what: &str, count: usize, most: usize| {
            if (1..=most).contains(&count) {
                return Ok(());
            }
            Err(MachineError::new(format!(
                "{what} from 1 to {most}, not {count}"
            )))
        };
        range("the number of places is", self.places, MOST_PLACES)?;
        range(
            "the number of workers of a place is",
            self.workers,
            MOST_WORKERS,
        )?;
        // One second is far longer than any latency.
        if !(0.0..=1e9).contains(&self.latency) {
            return Err(MachineError::new(format!(
                "the latency is {} ns, and not between 0 and a second",
                self.latency
            )));
        }
        // The range has no NaN.
        if !(1.0..=f64::INFINITY).contains(&self.bandwidth) {
            return Err(MachineError::new(format!(
                "the bandwidth is {} bytes a second, and not at least 1",
                self.bandwidth
            )));
        }
        if self.costs.node < 0.001 {
            return Err(MachineError::new(format!(
                "the cost node is {} ns, and not at least 0.001",
                self.costs.node
            )));
        }
        self.costs.check()
    }
}
