//! The programs of the work-stealing papers, and a few programs with real inputs. Each program is written once and runs on every
//! contender.
//!
//! A program is one generic function over a fork-join context ([`Ctx`]). With the context [`Serial`], the program is its serial elision,
//! which a compiler turns into plain recursion. With the other contexts, the same source runs on Heist and on its rivals. So a ratio
//! between the times of contenders compares schedulers, and never two versions of a program.
//!
//! [`programs`] lists the programs. To run a program, prepare an [`Instance`] of the program, and then call `reset`, `run` and `check` for
//! every run. [`record`] records a run of a program for the simulator, and measures its work and span. [`deques`] measures deques without a
//! scheduler. [`cooperative`] has programs whose tasks wait for each other. [`interrupts`] measures how fast one thread can get the
//! attention of another thread.
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

/// True if the feature `study` is on, which adds further steal protocols and further ways to split loops. The unit tests run without the
/// code of this feature, so that the compiler need not compile that code a second time only for the unit tests. The tests in `tests/` run
/// all code of the feature.
pub const STUDY: bool = cfg!(all(feature = "study", not(test)));

pub use contender::Contender;
pub use ctx::{Ctx, Finish, Heist, HeistHint, Serial};
pub use data::Data;
pub use preemptions::preemptions;
pub use program::{Instance, Prepare, Program, Size};
pub use programs::{UtsNode, fork_join, programs};
pub use rivals::{Chili, Rayon};
pub use runner::{Kernel, PoolError, Runner};
