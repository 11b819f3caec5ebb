//! The state of a run: worlds, workers, strands and the pool.
//!
//! A *world* (`world.rs`) is the state that all workers share: the heap, the tables of the code, the globals, the options (`options.rs`),
//! the stop of all workers, and the state of threads (`threads.rs`: alarms, watches, scopes, queues of ready strands, the report of a
//! deadlock). A *worker* (`worker/`) has the data of a thread that runs compiled code: its young generation, its doorbell, its remembered
//! slots, and its ready strands (`ready.rs`). A *strand* (`strand/`) is a computation on a stack of its own; `walk.rs` walks over its
//! frames, and `switch.rs` enters and leaves its code. A *pool* (`pool.rs`) has the threads of `heist` on which workers run, the requests
//! of idle workers (`hunger.rs`), and the strands that are not in use (`spare.rs`). These types refer to each other, so they form one
//! layer. Higher layers have the operations on these types.

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
