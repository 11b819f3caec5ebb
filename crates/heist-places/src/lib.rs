#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod activity;
mod array;
mod balance;
mod caught;
mod collective;
mod error;
mod exchange;
mod finish;
mod global_ref;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod nodes;
mod place;
mod progress;
mod receive;
mod run;
mod say;
mod slot;
mod task;
mod trace;
pub mod transport;
mod turn;
mod waiting;
mod wire;
mod world;

pub use array::PlaceArray;
pub use balance::Bag;
pub use error::PlaceError;
pub use global_ref::{GlobalRef, RefError};
#[doc(hidden)]
pub use inventory;
#[cfg(unix)]
pub use launch::{fingerprint, run};
pub use run::{Kill, Local, run_on};
#[doc(hidden)]
pub use task::Entry;
pub use task::{Arrival, Task};
pub use waiting::Waiting;
pub use world::World;

use say::say;

#[doc = include_str!("finish/README.md")]
pub mod protocol {}

/// The tasks that [`register_bag!`] registers.
#[doc(hidden)]
pub mod bags {
    pub use crate::balance::{Fail, Gift, Serve, Steal, Until};
}
