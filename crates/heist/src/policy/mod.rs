//! Scheduling of a pool: the protocol by which its workers steal, the order of victims, the amount, and what a spawn does.
//!
//! The default is meant for all programs. The others are for studies of schedulers that want every choice of the
//! papers in one program:
//!
//! ```
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
//! # Ok::<(), heist::BuildError>(())
//! ```
//!
//! A pool has a [`Protocol`]; code forks by a [`ForkPath`], which is compiled for one protocol. Any path works
//! in any pool: where they do not match, as [`join`](crate::join) in a pool of [`Protocol::ChaseLev`], each fork
//! takes some nanoseconds more. Where they match, the path contains only what the protocol needs.
//!
//! | protocol | a thief | its victim | the path of a fork |
//! | --- | --- | --- | --- |
//! | [`ReturnBarrier`](Protocol::ReturnBarrier) | takes what is public, else asks | makes half of its frames public, and meets a barrier where it comes back to them | no fence |
//! | [`StopVictim`](Protocol::StopVictim) | stops it, takes, lets it go | stands still at each steal | no fence; looks up at a join, too |
//! | [`Polled`](Protocol::Polled) | asks | hands over its oldest frame | the same |
//! | [`ChaseLev`](Protocol::ChaseLev) | a compare-and-swap | nothing | a full fence a join |
//! | [`The`](Protocol::The) | a lock and a fence | nothing | a full fence a join |
//!
//! Under [`StopVictim`](Protocol::StopVictim), [`Polled`](Protocol::Polled) and
//! [`ReturnBarrier`](Protocol::ReturnBarrier) by [`Delivery::Polling`], frames of a worker that neither forks nor joins
//! for long are stolen only when it does, so a left side that waits, outside of Heist, for what its right side does
//! waits for ever. Under the default, and all others, it does not.

mod amount;
mod protocol;
mod spawn;
mod victims;

pub use crate::join::{ChaseLev, ForkPath, Polled, ReturnBarrier, StopVictim, The};
pub use amount::StealAmount;
pub use protocol::{Delivery, Protocol};
pub use spawn::SpawnPolicy;
pub use victims::VictimChoice;
