#![doc = include_str!("README.md")]

mod apart;
mod block;
mod blocking;
mod broken;
#[cfg(feature = "tracing")]
mod carried;
mod fiber;
mod in_place;
mod isolation;
#[cfg(all(test, heist_model))]
mod models;
mod orders;
mod site;
mod state;
mod task;
mod turn;
mod unjoined;
mod waker;

pub(crate) use crate::worker::{delegate, polling_worker};
pub(crate) use apart::apart;
pub use block::block_on;
pub use blocking::blocking;
pub(crate) use broken::still_waits;
pub(crate) use fiber::{Fiber, Strand, current_waker, in_fiber, suspend_until};
pub(crate) use in_place::{InPlace, is_listened_to, offer};
pub(crate) use isolation::Isolation;
pub(crate) use site::note_wait;
pub(crate) use task::{Core, Delayed, Handle, Receiver, Scoped, Suspended, TaskKind};
pub use turn::yield_now;
pub(crate) use unjoined::{Start, Unjoined, run_inline};
pub(crate) use waker::is_own;
