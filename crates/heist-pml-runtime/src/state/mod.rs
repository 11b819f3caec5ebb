//! The state of a run: worlds, workers, strands and the pool.

pub mod hunger;
pub mod interrupt;
pub mod pool;
pub mod queued;
pub mod spare;
pub mod strand;
pub mod switch;
pub mod thread_object;
pub mod threads;
pub mod walk;
pub mod worker;
pub mod world;
