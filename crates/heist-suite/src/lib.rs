//! The programs of the work-stealing papers, and a few on real inputs, each written once and run by every contender.
//!
//! A program is one generic function over a fork-join context ([`Ctx`]). With [`Serial`] it is the serial
//! elision, which a compiler turns into plain recursion; with the others the same source runs on Heist and on its
//! rivals. So a ratio between contenders compares schedulers, never two versions of a program.
//!
//! [`programs`] is the registry: prepare an [`Instance`], then for every run `reset`, `run` and `check` it.
//! [`record`] writes a program down for the simulator, and finds its work and span.
//! [`deques`] measures deques by themselves, [`cooperative`] has programs whose tasks wait for one another, and [`interrupts`] measures
//! how one thread gets the attention of another.
//!
//! ```
//! use heist_suite::{Contender, Data, Runner, Size, programs};
//!
//! let fib = programs().iter().find(|program| program.name == "fib").unwrap();
//! let mut instance = (fib.prepare)(Size::N(20), &Data::locate()).unwrap();
//! let runner = Runner::new(2).unwrap();
//! instance.reset();
//! instance.run(Contender::Heist, &runner);
//! instance.check().unwrap();
//! ```

pub mod affinity;
mod bounds;
mod contender;
pub mod cooperative;
mod count;
mod ctx;
mod data;
pub mod deques;
pub mod graphs;
pub mod interrupts;
pub mod loops;
pub mod memory;
mod noise;
mod preemptions;
mod program;
mod programs;
mod quad;
pub mod record;
mod rivals;
mod runner;
mod sort;
mod stack;
#[cfg(feature = "twins")]
pub mod twins;
mod value;

/// Whether the feature `study` is on: other steal protocols than the default one, and other ways to split loops. The unit tests run
/// without them, because they would be compiled a second time for these tests alone; `tests/` runs all of them.
pub const STUDY: bool = cfg!(all(feature = "study", not(test)));

pub use contender::Contender;
pub use ctx::{Ctx, Finish, Heist, HeistHint, Serial};
pub use data::Data;
pub use preemptions::preemptions;
pub use program::{Instance, Prepare, Program, Size};
pub use programs::{UtsNode, fork_join, programs};
pub use rivals::{Chili, Rayon};
pub use runner::{Kernel, PoolError, Runner};
