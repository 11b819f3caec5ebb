//! Runtime of compiled programs: the heap and its collector, exceptions, and the functions that the Basis calls.

pub mod atomic;
pub mod basis;
pub mod cancel;
pub mod code;
pub mod collector;
pub mod copy;
pub mod entry;
pub mod exhaustion;
pub mod graph;
pub mod hunger;
pub mod interrupt;
pub mod launch;
pub mod lazy;
pub mod loan;
pub mod measure;
pub mod memory;
pub mod pool;
pub mod process;
pub mod program;
pub mod promote;
pub mod protocol;
pub mod publish;
pub mod queued;
pub mod raise;
pub mod spare;
pub mod start;
pub mod strand;
pub mod switch;
pub mod table;
pub mod tasks;
pub mod team;
pub mod thread;
pub mod trail;
pub mod value;
pub mod verify;
pub mod worker;
pub mod world;

/// The allocator of executables. Other programs that use this crate choose their own allocator.
#[cfg(heist_executable)]
#[global_allocator]
static ALLOCATOR: process::allocator::Ending = process::allocator::Ending;

/// Ends the process with a message, for a fault that no program can handle.
pub fn fatal(message: &str) -> ! {
    process::ends::alone();
    measure::heap_profile::end_all();
    basis::io::flush_all();
    eprintln!("{message}");
    std::process::exit(program::IMPOSSIBLE)
}
