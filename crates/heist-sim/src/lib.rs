//! A simulator of work-stealing schedulers. The simulator replays a fork-join program, which was recorded strand by strand, on a machine of
//! 1 to 1,024 workers. The machine uses one of five steal protocols. Some of the machine's costs were measured, and the other costs are
//! estimates.
//!
//! [`simulate_places`] simulates up to 1,024 places: processes that balance the work of a tree over a network, as programs
//! of the crate `heist-places` do.
//!
//! The crate is pure and deterministic: it uses no threads, no clock and no files. One program, machine and seed always
//! give the same [`Outcome`], and one tree, cluster and seed always give the same [`PlacesOutcome`]. The crate's README
//! describes the models and their limits.
//!
//! ```
//! use heist_sim::{Machine, Protocol, generate, simulate};
//!
//! // A balanced tree of 2^14 leaves of a microsecond each.
//! let program = generate::balanced(14, 1_000_000, 10_000);
//! let mut machine = Machine::new(16, Protocol::ReturnBarrier);
//! machine.costs.enter = 0.0;
//! let outcome = simulate(&program, &machine, 1).unwrap();
//! let serial = program.summary().work;
//! assert!(outcome.time < serial / 12 && outcome.time > serial / 16);
//! ```

mod agenda;
mod dag;
mod fields;
mod histogram;
mod machine;
mod outcome;
mod places;
mod random;
mod sim;

pub use dag::{Builder, Dag, DagError, Summary, generate};
pub use fields::Field;
pub use histogram::Histogram;
pub use machine::{Amount, Costs, Machine, MachineError, Policy, Protocol, Topology, Victims};
pub use outcome::{Outcome, Worker};
pub use places::{
    Cluster, Growth, Kind, PlaceCosts, PlaceUse, PlacesOutcome, Tree, simulate_places,
};
pub use sim::simulate;

/// A point or a duration of simulated time, in picoseconds.
pub type Time = u64;
