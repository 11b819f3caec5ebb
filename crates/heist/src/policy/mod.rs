//! The scheduling policies of a pool: the protocol by which its workers steal, the order of victims, the amount of work in a steal, and the
//! order of spawner and task. Each policy is a setting of the [`Builder`](crate::Builder).
//!
//! The default policies are meant for all programs. All other policies are for studies of schedulers. Together the policies cover the
//! schedulers of several papers. (A table in the repository, `docs/benchmarks.md`, lists each paper's schedulers with the values of this
//! module, the names in the program `heist`, and the figures.) Protocols other than return barriers need the feature `policies`:
//!
//! ```
//! # #[cfg(feature = "policies")] {
//! use heist::policy::{ChaseLev, ForkPath, Protocol};
//!
//! fn fib<P: ForkPath>(n: u64) -> u64 {
//!     if n < 2 { return n; }
//!     let (a, b) = P::join(|| fib::<P>(n - 1), || fib::<P>(n - 2));
//!     a + b
//! }
//!
//! let pool = heist::Pool::builder().threads(2).protocol(Protocol::ChaseLev).build()?;
//! assert_eq!(pool.install(|| fib::<ChaseLev>(20)), 6765);
//! # }
//! # Ok::<(), heist::BuildError>(())
//! ```
//!
//! A pool has a [`Protocol`]. Code forks by a [`ForkPath`], which is compiled for one protocol. Any path works in any pool. If the path and
//! the pool have the same protocol, the path contains only the steps that the protocol needs. If the two protocols differ, and one of them
//! is [`ChaseLev`](Protocol::ChaseLev) or [`The`](Protocol::The), each fork takes a few nanoseconds more. An example is
//! [`join`](crate::join) in a pool of [`Protocol::ChaseLev`]. The paths of return barriers, of [`StopVictim`](Protocol::StopVictim) and of
//! [`Polled`](Protocol::Polled) differ only in whether a join checks for requests.
//!
//! | protocol | a thief | its victim | the path of a fork |
//! | --- | --- | --- | --- |
//! | [`ReturnBarrier`](Protocol::ReturnBarrier) | takes public frames, or requests some | makes half of its frames public | no fence |
//! | [`StopVictim`](Protocol::StopVictim) | stops the victim | stands still at each steal | no fence; a join checks for requests |
//! | [`Polled`](Protocol::Polled) | requests a frame or task | hands over its oldest frame or task | no fence; a join checks for requests |
//! | [`ChaseLev`](Protocol::ChaseLev) | takes by a compare-and-swap | does nothing | a full fence at each join |
//! | [`The`](Protocol::The) | takes under a lock, with a fence | does nothing | a full fence at each join |
//!
//! Under some protocols, thieves get a worker's frames only when the worker forks or joins: [`StopVictim`](Protocol::StopVictim), and
//! [`Polled`](Protocol::Polled) and [`ReturnBarrier`](Protocol::ReturnBarrier) with [`Delivery::Polling`] (or with [`Delivery::Signal`], on
//! systems other than Linux). Under such a protocol, the left side of a join waits forever if it waits outside of Heist for an effect of
//! the join's right side. Under all other protocols, including the default, a thief can steal the right side, so the wait ends.

mod amount;
mod protocol;
mod spawn;
mod victims;

#[cfg(feature = "policies")]
pub use crate::join::{ChaseLev, Polled, StopVictim, The};
pub use crate::join::{ForkPath, ReturnBarrier};
pub use amount::StealAmount;
pub use protocol::{Delivery, Protocol};
pub use spawn::SpawnPolicy;
pub use victims::VictimChoice;
