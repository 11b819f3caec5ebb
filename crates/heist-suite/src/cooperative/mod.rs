//! Programs whose tasks wait for each other: the programs of Imam and Sarkar, "A Case for Cooperative Scheduling in X10's Managed Runtime"
//! (X10 2014), and a few more. Each program has a check of its result.
//!
//! A program defines what its tasks do, whereas an [`Entrant`] defines how tasks are spawned and how they wait. Most programs are of one of
//! two kinds, in which every entrant runs the same code:
//!
//! * programs in rounds ([`rounds`]): there is a task for each node, and all tasks run in lock step. This crate has the kernels of
//!   IMSuite (Gupta and Nandivada, 2013), in versions for shared memory;
//! * programs whose tasks depend on each other's results ([`dag`]): each task waits for the results that it needs.
//!
//! The remaining programs have a version for each entrant. All versions of a program call the same functions for the work.
//!
//! ```
//! use heist_suite::cooperative::{Entrant, Input, Pools, programs};
//! use heist_suite::{Data, Size};
//!
//! let mis = programs().iter().find(|program| program.name == "mis").unwrap();
//! let mut instance = (mis.prepare)(Input::Generated, Size::N(100), &Data::default()).unwrap();
//! let pools = Pools::new(2).unwrap();
//! instance.reset();
//! instance.run(Entrant::Tokio, &pools).unwrap();
//! instance.check().unwrap();
//! ```

pub mod bfs_bf;
pub mod bfs_dijkstra;
pub mod binary_trees;
pub mod crawl;
pub mod dag;
pub mod dominating_set;
mod entrant;
mod input;
pub mod mis;
pub mod mst;
pub mod philosophers;
pub mod pipeline;
mod pools;
mod program;
pub mod rounds;
pub mod smith_waterman;
pub mod stencil;

pub use entrant::Entrant;
pub use input::{Input, graph};
pub use pools::{MOST_THREADS, Pools};
pub use program::{Entry, Instance, Prepare};

static PROGRAMS: &[Entry] = &[
    bfs_bf::PROGRAM,
    bfs_dijkstra::PROGRAM,
    dominating_set::PROGRAM,
    mis::PROGRAM,
    mst::PROGRAM,
    stencil::BARRIER,
    stencil::NEIGHBOURS,
    binary_trees::PROGRAM,
    smith_waterman::CELLS,
    smith_waterman::TASKS,
    smith_waterman::TILES,
    crawl::PROGRAM,
    pipeline::PROGRAM,
    philosophers::PROGRAM,
];

/// Returns all programs, in the order in which tables show them.
pub fn programs() -> &'static [Entry] {
    PROGRAMS
}
