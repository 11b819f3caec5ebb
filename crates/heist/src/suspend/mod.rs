//! Tasks that give their worker back while they wait.

mod block;
mod broken;
mod fiber;
mod isolation;
mod orders;
mod site;
mod state;
mod task;
mod waker;

pub use block::block_on;
pub(crate) use broken::{give_up, still_waits};
pub(crate) use fiber::{Fiber, Strand};
pub(crate) use isolation::Isolation;
pub(crate) use site::note_wait;
pub(crate) use task::{Core, Delayed, Handle, Receiver, Suspended, TaskKind};
