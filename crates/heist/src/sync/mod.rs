//! Synchronisation that holds no thread.

mod future;
mod monitor;
mod when;

pub use future::spawn_async;
pub use future::{Broken, Future, Getting, Promise, future, promise};
pub use when::{Inputs, spawn_when};
