//! Task parallelism on a work-stealing scheduler whose un-stolen forks cost about a nanosecond.

mod builder;
mod error;
mod finish;
mod join;
mod latch;
mod park;
mod platform;
mod pool;
mod spawn;
mod task;
mod worker;

pub use builder::{Builder, IdlePolicy, MAX_STACK, MAX_THREADS, ThreadStart};
pub use error::BuildError;
pub use finish::{Finish, finish, finish_fifo, finish_in_place, finish_in_place_fifo};
pub use join::{join, join_hint};
pub use platform::{allowed_cpus, asymmetric_fence_available, default_threads};
pub use pool::{Pool, current_threads, current_worker_index, global};
pub use spawn::{JoinHandle, Outcome, spawn, spawn_detached};
pub use worker::Counters;
