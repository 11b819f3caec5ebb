#![doc = include_str!("README.md")]

mod barrier;
mod channel;
pub mod event;
mod future;
mod gathering;
mod isolated;
mod istructure;
#[cfg(all(test, heist_model))]
mod models;
mod monitor;
mod orders;
mod phaser;
mod rendezvous;
mod semaphore;
mod when;

pub use barrier::{Arriving, Barrier};
pub use channel::{
    ReceiveEvent, Receiver, Receiving, RecvError, RecvTimeoutError, SendError, SendEvent,
    SendTimeoutError, Sender, Sending, TryRecvError, TrySendError, channel,
};
pub use future::{
    Broken, Future, GetEvent, Getting, Promise, TakeEvent, Taking, future, promise, spawn_async,
    spawn_fiber, spawn_named_fiber,
};
pub use isolated::{Isolated, Objects, isolated, isolated_async, isolated_on, isolated_on_async};
pub use istructure::{CellWriter, GettingCell, IStructure, i_structure};
pub use phaser::{Accumulator, Advancing, Clock, Mode, Next, NextSingle, Phaser, Registration};
pub use rendezvous::{Rendezvous, RendezvousReceive, RendezvousSend};
pub use semaphore::{AcquireEvent, Acquiring, Locking, Mutex, MutexGuard, Permits, Semaphore};
pub use when::{Inputs, spawn_when};
