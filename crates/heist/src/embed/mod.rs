//! Building blocks for a front end with its own interface, such as `rayon-core`. The front end
//! allocates, counts and orders its jobs itself. Heist runs the jobs on its deques and threads.
//!
//! Programs use [`join`](crate::join), [`finish`](crate::finish) and [`par`](mod@crate::par) instead. Semantic versioning does not apply to
//! this module.
//!
//! A pool of this kind ([`Core`]) never starts spare threads. A waiting worker keeps its slot, so no other thread gets the worker's index.
//! While a worker waits, it runs other jobs:
//!
//! - at the end of a [join](join()): descendants of the job for which it waits, as in all pools of
//!   Heist;
//! - at the end of a [scope](Worker::wait_above): the jobs put into its deque since the scope began;
//! - while it waits for another pool: [any job](Worker::serve_until) of its own pool;
//! - always: its part of a [broadcast](Core::broadcast).

mod core;
mod job;
mod join;
mod worker;

pub use self::core::{Core, Plan};
pub use self::job::job;
pub use self::join::join;
pub use self::worker::{Floor, Origin, Worker};
pub use crate::finish::count::Count;
pub use crate::task::Header as Job;
pub use crate::worker::Backlog;
