//! The end of a program, or of the process, when the heap has reached its limit.
//!
//! If a program can be interrupted, it ends as soon as the heap is full. But a strand that holds a lock of the Basis continues until it has
//! released the lock. Until then, the strand allocates in the reserve, the part of the heap that is kept for collections.
//! `protocol/README.md` says why.

use crate::poll::attend;
use crate::state::interrupt::{self, Cause};
use crate::state::worker::Worker;

impl Worker {
    /// Ends the program, because an allocation outside of a collection has found no memory. Ends the process instead if the program cannot
    /// be interrupted. Returns only if the running strand holds a lock of the Basis. Such a strand ends at its first poll after it has
    /// released the lock.
    pub(crate) fn exhausted(&mut self) {
        if self.options().reserve {
            // A cancelled strand may belong to a program that has ended, and must not interrupt the running program.
            if !self.strand.is_null() {
                // SAFETY: compiled code has called the runtime through a thunk, as this worker runs a strand. Rust frames in between hold
                // at most copies of strings and numbers, and counts of the world. These values leak if this call leaves the strand, which
                // is safe.
                unsafe { attend::leave_cancelled(self) };
            }
            if interrupt::ask(Cause::Memory) {
                // SAFETY: the worker is this thread's own and runs the strand, so no other thread writes to it.
                if !self.strand.is_null() && !unsafe { (*self.strand).may_end() } {
                    return;
                }
                // SAFETY: compiled code has called the runtime through a thunk, as programs are watched only while they run. Functions of
                // the runtime have at most copies of strings and numbers in their frames, and counts of the world. These values leak if
                // this call abandons the strand, which is safe.
                unsafe { self.abandon() }
            }
        }
        self.out_of_memory()
    }
}
