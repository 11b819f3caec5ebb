//! The microbenchmark of work-stealing deques. The benchmark measures puts, takes and steals, with little or no other work.
//!
//! The benchmark follows Michael, Vechev and Saraswat, *Idempotent work stealing* (PPoPP 2009), section 4.2.1. Figure 4 of that paper shows
//! the cost of an owner's own puts and takes. Each workload is one generic function over [`heist_deque::Owner`], so contenders differ only
//! in the deque:
//!
//! - [`Solo`] workloads have an owner and no thief: `n` puts and then `n` takes, the takes alone, and two workloads whose items stay in the
//!   cache.
//! - In a [`Raid`], the owner makes `n` puts, and then takes items until no item is left. Tasks have work to do, and thieves steal during
//!   the whole run. The benchmark checks that no item is lost. The benchmark also checks that no item is taken twice, except from deques
//!   that deliver *at least once*.
//!
//! [`deques`] lists the deques that take part.
//!
//! ```
//! use heist_suite::deques::{Solo, deques};
//!
//! for deque in deques() {
//!     let mut bench = deque.solo(Solo::PutsThenTakes.depth(1_000));
//!     let time = bench.run(Solo::PutsThenTakes, 1_000).unwrap();
//!     println!("{}: {:.1} ns for a put and a take", deque.name, time.as_nanos() as f64 / 1e3);
//! }
//! ```

mod account;
mod raid;
mod rivals;
mod solo;
mod split;
mod stage;
mod table;
mod task;

pub use account::{Account, Logs};
pub use raid::{Raid, RaidBench, RunError};
pub(crate) use rivals::Crossbeam;
pub use solo::{Solo, SoloBench};
pub use stage::Stage;
pub use table::{Delivery, Deque, deques};
pub use task::{Calibration, Task};
