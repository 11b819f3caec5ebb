//! Regions of code that wait for the operating system. A worker runs such a region without a slot.

use crate::trace::EventKind;
use crate::waiting::{Reason, Until};
use crate::worker::thread::WorkerThread;

impl WorkerThread {
    /// Runs `wait` without a slot. If code in `wait` [needs](Self::regain_slot) a slot, the worker takes one, and keeps it until `wait`
    /// ends.
    pub(crate) fn run_without_slot(&self, reason: Reason, wait: &mut dyn FnMut()) {
        struct Back<'a>(&'a WorkerThread);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                if !self.0.pool().generation.is_current() {
                    // In a child of fork(), this thread takes no slot, because another thread of the parent may have held the lock of the
                    // idle lists during the fork.
                    return;
                }
                self.0.regain_slot();
                self.0.trace(EventKind::WaitEnds);
            }
        }
        if self.wait_policy.keeps_slots() || self.in_handler.get() || self.slotless.get() {
            return wait();
        }
        // The worker must report finished tasks to their scope before the wait.
        self.flush();
        self.trace(reason.begins());
        // The jobs in the deques stay stealable without this thread's help.
        // SAFETY: this is the owner's thread.
        unsafe {
            self.forks.expose_all();
            self.tasks.expose_all();
            self.ready.expose_all();
        }
        let (pool, slot) = (self.pool(), self.slot());
        self.counters.handovers.add(1);
        self.trace(EventKind::SlotGiven);
        pool.idle.vacate(pool, slot);
        pool.slot_freed();
        self.slotless.set(true);
        let _back = Back(self);
        // The seat serves reports only. The seat never settles in this wait, because the wait may end at any time.
        self.seat.during(&Until(reason, || false), wait);
    }

    /// Takes a slot back, if this worker has given its slot away for a blocking region.
    pub(in crate::worker) fn regain_slot(&self) {
        if self.slotless.replace(false) {
            self.pool().idle.resume(self.slot());
            self.trace(EventKind::SlotTaken);
        }
    }
}
