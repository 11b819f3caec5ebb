//! The CPUs to which the pool, or a handler of the program, has bound the pool's threads.

use crate::platform::{CpuSet, allowed_cpus, pin_current_thread};
use std::sync::OnceLock;

/// The CPUs of each worker slot. A thread that takes over a slot is bound to the CPUs of the slot's first worker, because otherwise two
/// workers might share a CPU while another CPU is idle.
#[derive(Debug)]
pub(in crate::worker) struct Binding {
    /// The CPUs to which the pool binds its workers, in the order of the slots. If there are more slots than CPUs, the order
    /// repeats. The list is empty if the pool binds no workers.
    cpus: Vec<usize>,
    /// The CPUs of each slot's first worker. The pool records them if the program has handlers that may have bound the worker.
    chosen: Box<[OnceLock<Chosen>]>,
}

/// The CPUs to which the program has bound a worker.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    set: CpuSet,
    /// The only CPU of the set, if the set has exactly one.
    single: Option<usize>,
}

impl Binding {
    pub(super) fn new(pin: bool, slots: usize) -> Self {
        Binding {
            cpus: if pin { allowed_cpus() } else { Vec::new() },
            chosen: (0..slots).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns the CPUs to which the pool binds its workers, in the order of the slots. If there are more slots than CPUs, the
    /// order repeats. The result is empty if the pool binds no workers.
    pub(in crate::worker) fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    fn chosen(&self, slot: u32) -> Option<&Chosen> {
        self.chosen.get(slot as usize)?.get()
    }

    fn pinned(&self, slot: u32) -> Option<usize> {
        (!self.cpus.is_empty()).then(|| self.cpus[slot as usize % self.cpus.len()])
    }

    /// Returns the CPU to which the slot's worker is bound, if the worker is bound to exactly one CPU.
    pub(in crate::worker) fn cpu_of(&self, slot: u32) -> Option<usize> {
        match self.chosen(slot) {
            Some(chosen) => chosen.single,
            None => self.pinned(slot),
        }
    }

    /// Binds the current thread, which must be the first thread with this slot. If the pool binds no workers, does nothing, because the
    /// program may have bound the thread itself.
    pub(in crate::worker) fn bind_first(&self, slot: u32) {
        if let Some(cpu) = self.pinned(slot) {
            pin_current_thread(cpu);
        }
    }

    /// Binds the current thread, which has taken over `slot`.
    pub(in crate::worker) fn bind(&self, slot: u32) {
        if let Some(chosen) = self.chosen(slot) {
            chosen.set.bind();
        } else if let Some(cpu) = self.pinned(slot) {
            pin_current_thread(cpu);
        }
    }

    /// Records how the program has bound the current thread. The thread must be the first worker of `slot`.
    pub(in crate::worker) fn learn(&self, slot: usize) {
        if let (Some(set), Some(chosen)) = (CpuSet::of_this_thread(), self.chosen.get(slot)) {
            let single = set.single();
            let _ = chosen.set(Chosen { set, single });
        }
    }
}
