//! What Heist needs of the operating system, each behind a safe type with a portable fallback.

mod cpus;
mod fence;
mod fork;
mod memory;
mod prefetch;
pub(crate) mod shim;
mod stack;

pub use cpus::allowed_cpus;
pub(crate) use cpus::pin_current_thread;
pub use fence::asymmetric_fence_available;
pub(crate) use fence::heavy_fence;
pub(crate) use fork::{ForkGeneration, watch_forks};
pub(crate) use memory::Reserved;
pub(crate) use prefetch::prefetch;
pub(crate) use stack::current_stack_size;
