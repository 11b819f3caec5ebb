//! Runtime of compiled programs: the heap and its collector, exceptions, and the functions that the Basis calls.

pub mod allocate;
pub mod basis;
pub mod code;
pub mod collect;
pub mod entry;
pub mod exception;
pub mod fork;
pub mod launch;
pub mod measure;
pub mod memory;
pub mod poll;
pub mod process;
pub mod protocol;
pub mod run;
pub mod state;
pub mod thread;
pub mod value;
pub mod wait;

/// The allocator of executables. Other programs that use this crate choose their own allocator.
#[cfg(heist_executable)]
#[global_allocator]
static ALLOCATOR: process::allocator::Ending = process::allocator::Ending;
