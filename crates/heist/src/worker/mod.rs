#![doc = include_str!("README.md")]

mod delegate;
mod depth;
mod fixed;
mod hooks;
mod idle;
mod job;
mod local;
mod pool;
mod queue;
mod run;
mod scope;
mod steal;
mod thread;
mod wait;

pub(crate) use delegate::{delegate, polling_worker};
pub(crate) use fixed::ancestry::Origin;
pub(crate) use fixed::serve::Floor;
pub(crate) use fixed::wait_policy::WaitPolicy;
pub(crate) use hooks::Hooks;
pub(crate) use local::{Place, TrackPointer, WorkerLocal, local, local_now, on_track};
pub use pool::counters::Counters;
pub(crate) use pool::inner::PoolInner;
pub use pool::latency::Latencies;
pub use pool::settings::Idle;
pub(crate) use pool::settings::{HiddenWork, Settings};
pub use pool::thread_start::ThreadStart;
pub(crate) use queue::class::Class;
pub(crate) use queue::job::Job;
pub use queue::lists::Backlog;
pub(crate) use queue::lists::Ticket;
pub(crate) use run::worker_main;
pub(crate) use scope::{leave, outside_scopes};
pub(crate) use steal::victim::{
    answer_steal_request, fork_slow, is_bare_and_wanted, is_steal_requested, poll,
};
pub(crate) use thread::{Context, WorkerThread};
pub(crate) use wait::join::{join_slow, retract};
