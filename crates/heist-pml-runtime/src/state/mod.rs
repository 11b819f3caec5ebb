//! The state of a run: worlds, workers, strands and the pool.

pub mod clock;
pub mod hunger;
pub mod interrupt;
pub mod options;
pub mod parts;
pub mod pool;
pub mod queued;
pub mod ready;
pub mod scopes;
pub mod spare;
pub mod strand;
pub mod stuck;
pub mod switch;
pub mod thread_object;
pub mod threads;
pub mod trails;
pub mod waiting;
pub mod walk;
pub mod watches;
pub mod worker;
pub mod world;
