//! Services of the operating system, each behind a safe type with a portable fallback.

mod clock;
mod cpu_time;
mod cpus;
#[cfg(all(unix, not(miri)))]
mod extents;
#[cfg(all(unix, not(miri)))]
mod faults;
mod fence;
mod fork;
mod lock;
mod memory;
mod per_process;
mod prefetch;
mod say;
pub(crate) mod shim;
#[cfg(all(unix, not(miri)))]
mod slab;
mod stack;
#[cfg(all(unix, not(miri)))]
mod stacks;
mod threads;
mod topology;

pub use clock::ticks_per_second;
pub(crate) use clock::{Scale, Ticks, ticks};
pub(crate) use cpu_time::process_cpu_time;
pub use cpus::allowed_cpus;
pub(crate) use cpus::{CpuSet, current_cpu, pin_current_thread};
#[cfg(all(unix, not(miri)))]
pub(crate) use extents::find_guarded;
#[cfg(all(unix, not(miri)))]
#[allow(
    unused_imports,
    reason = "some are for fibers, which not every platform has"
)]
pub(crate) use faults::{Reporter, decimal, report_faults, say_and_abort};
pub use fence::asymmetric_fence_available;
pub(crate) use fence::{fence_is_ready, heavy_fence, light_fence, prepare_fence};
pub(crate) use fork::{ForkGeneration, watch_forks};
pub(crate) use lock::{Guard, Locked, constant};
pub(crate) use memory::Reserved;
pub(crate) use per_process::PerProcess;
pub(crate) use prefetch::prefetch;
pub(crate) use say::say;
#[cfg(all(unix, not(miri)))]
pub(crate) use slab::page_size;
pub(crate) use stack::current_stack;
#[cfg(all(unix, not(miri)))]
pub(crate) use stacks::{Stack, StackCache, StackError, Stacks};
#[cfg(all(target_os = "linux", not(miri), not(heist_model)))]
pub(crate) use threads::has_one_thread;
pub(crate) use threads::{has_threads, is_initial_thread};
pub(crate) use topology::{CpuPlace, place_of};
