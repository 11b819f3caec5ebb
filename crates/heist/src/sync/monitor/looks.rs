//! The looks of a thread at a construct before it waits.

use crate::worker::local_now;
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The number of spins before the second look. With fewer, a fast receiver takes the lock again and again from the sender: in a stream
/// between two threads a value takes some 45 ns with 64, 98 with 8, and 120 with 1.
const FEWEST_SPINS: u32 = 64;
/// The number of spins from which on the thread waits. All together take some 6 us, about as long as a wait and a wake-up by the system.
const MOST_SPINS: u32 = 512;

/// The looks of a thread at a construct before it waits: another thread may be about to change it, and a wait costs two system calls.
pub(crate) struct Looks {
    /// The number of spins before the next look.
    spins: u32,
}

impl Looks {
    pub(crate) fn new() -> Self {
        Looks {
            spins: FEWEST_SPINS,
        }
    }

    /// Pauses before the next look. Returns false if the caller must wait instead: after some looks; on a worker, which runs other work
    /// while it waits, perhaps the work that ends the wait; and if there is only one CPU.
    #[cold]
    pub(crate) fn pause(&mut self) -> bool {
        if self.spins >= MOST_SPINS || local_now().worker().is_some() || !has_several_cpus() {
            return false;
        }
        (0..self.spins).for_each(|_| spin_loop());
        self.spins *= 2;
        true
    }
}

/// Returns true if the process could use several CPUs when this was asked first.
fn has_several_cpus() -> bool {
    static SEVERAL: OnceLock<bool> = OnceLock::new();
    *SEVERAL.get_or_init(|| available_parallelism().is_ok_and(|cpus| cpus.get() > 1))
}
